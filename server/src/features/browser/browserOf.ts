// The one browser of a process.
import { join } from 'node:path'
import { createFairPool, teamShare } from '../../base/fairPool.ts'
import type { BrowserDriver } from '../../drivers/browser/browser.ts'
import { cdpDriver } from '../../drivers/browser/cdpDriver.ts'
import { chromiumDriver } from '../../drivers/browser/chromiumDriver.ts'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'

/** Nothing is started before the first session asks for it. */
export const browserOf = runningPart('browser', createDriver)

/** Slots for sessions in the browser of this process. Each session has pages, which take processes and memory. */
export const sessionSlotsOf = runningPart('browser sessions', ({ config }) => {
  const { browserSessionsMax: size, teamShare: percent } = config
  return createFairPool({ name: 'browser sessions', size, perTeam: teamShare(size, percent) })
})

function createDriver({ config, guard, log }: Context): BrowserDriver {
  if (config.cdpUrl !== undefined) return cdpDriver({ guard, cdpUrl: config.cdpUrl })
  return chromiumDriver({ guard, log, cacheDir: join(config.dataDir, 'browser') })
}
