// node scripts/with-node.mjs --dev server/test/writeScreens.ts: draws the built-in pages of a made-up team, in both themes, into docs/screens.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { createLog } from '../src/base/log.ts'
import { accountForChromium } from '../src/drivers/browser/chromiumProcess.ts'
import { launchChromium } from '../src/drivers/browser/launchChromium.ts'
import { templates } from '../src/features/artifacts/templates/index.ts'
import { sampleFigures } from './kit/sampleFigures.ts'
import { pageOf } from './kit/templatePages.ts'
import { smallPng } from './smallPng.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, 'docs/screens')
const width = 1120

async function draw(browser: Browser, html: string): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: { width, height: 600 },
    javaScriptEnabled: false,
    offline: true,
  })
  try {
    const page = await context.newPage()
    await page.setContent(html, { waitUntil: 'load' })
    return smallPng(await page.screenshot({ fullPage: true, type: 'png' }))
  } finally {
    await context.close()
  }
}

const cacheDir = join(root, '.runyard/browser')
const running = await launchChromium({ cacheDir, account: accountForChromium(), log: createLog('warn') })
try {
  await mkdir(folder, { recursive: true })
  for (const template of templates) {
    for (const theme of ['light', 'dark'] as const) {
      const { html } = await pageOf(template, theme, (tool, input) => Promise.resolve(sampleFigures(tool, input)))
      const file = `${template.name}-${theme}.png`
      const picture = await draw(running.browser, html)
      await writeFile(join(folder, file), picture)
      console.log(`${file}: ${Math.ceil(picture.length / 1024)} KiB`)
    }
  }
} finally {
  await running.process.end()
}
