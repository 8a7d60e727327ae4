// The one browser of a process. Several features use it: sessions of runs, and pages that are drawn as pictures and PDFs.
import { join } from 'node:path'
import type { BrowserDriver } from '../drivers/browser/browser.ts'
import { cdpDriver } from '../drivers/browser/cdpDriver.ts'
import { chromiumDriver } from '../drivers/browser/chromiumDriver.ts'
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'

/** Nothing is started before somebody asks for a session or a picture. */
export const browserOf = runningPart('browser', createDriver)

function createDriver({ config, guard, log }: Context): BrowserDriver {
  if (config.cdpUrl !== undefined) return cdpDriver({ guard, cdpUrl: config.cdpUrl })
  return chromiumDriver({ guard, log, named: config.chromium, cacheDir: join(config.dataDir, 'browser') })
}
