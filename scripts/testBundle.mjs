// Puts the tests and the programs that they start into few large files. Usage: testBundle.mjs FOLDER [--programs], with which the tests stay out.
//
// A run of npm test has 200 processes that load the service. With files named (npm test -- FILE…) nothing is bundled: errors then name lines
// of the sources.
import { relative, sep } from 'node:path'
import { besides, programs, writeBundle } from './bundle.mjs'
import { root } from './install.mjs'
import { noBundler, testFiles } from './testGroups.mjs'

await import('rolldown').catch((error) => {
  console.error(
    `The bundler does not run on this platform, so the tests run from their sources, more slowly: ${error.message}`,
  )
  process.exit(noBundler)
})

const [folder, only] = process.argv.slice(2)

const alsoStarted = [
  'server/test/survival/killerService.ts',
  'server/test/survival/repeatingWorker.ts',
  'server/test/survival/slowJobService.ts',
]

const options = { alsoStarted, sources: relative(folder, root).split(sep).join('/') }

if (only !== '--programs') await writeBundle(folder, testFiles(), options)
// apart from the tests: what they share would come in 150 files (measured: 0.05 s)
await writeBundle(folder, [...programs, ...alsoStarted], options)
for (const file of besides) await writeBundle(folder, [file], options)
