// Run as a process of its own: unpacks the npm package's Chromium into the folder that TMPDIR names, where it puts everything.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

const archives = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin')
// The browser, two libraries that bare machines lack, a font, and the software renderer.
for (const name of ['chromium.br', 'al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br']) {
  await inflate(join(archives, name))
}
