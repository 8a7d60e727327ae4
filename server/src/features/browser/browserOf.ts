// The one browser of a process.
import { join } from 'node:path'
import { createFairPool, teamShare, type FairPool } from '../../base/fairPool.ts'
import type { BrowserDriver } from '../../drivers/browser/browser.ts'
import { cdpDriver } from '../../drivers/browser/cdpDriver.ts'
import { chromiumDriver } from '../../drivers/browser/chromiumDriver.ts'
import type { Context } from '../../kit/context.ts'

const drivers = new WeakMap<Context, BrowserDriver>()

/** Nothing is started before the first session asks for it. */
export function browserOf(context: Context): BrowserDriver {
  let driver = drivers.get(context)
  if (!driver) drivers.set(context, (driver = createDriver(context)))
  return driver
}

const slots = new WeakMap<Context, FairPool>()

/** Slots for sessions in the browser of this process. Each session has pages, which take processes and memory. */
export function sessionSlotsOf(context: Context): FairPool {
  let ofProcess = slots.get(context)
  if (!ofProcess) {
    const { browserSessionsMax: size, teamShare: percent } = context.config
    ofProcess = createFairPool({ name: 'browser sessions', size, perTeam: teamShare(size, percent) })
    slots.set(context, ofProcess)
  }
  return ofProcess
}

function createDriver({ config, guard, log }: Context): BrowserDriver {
  if (config.cdpUrl !== undefined) return cdpDriver({ guard, cdpUrl: config.cdpUrl })
  return chromiumDriver({ guard, log, cacheDir: join(config.dataDir, 'browser') })
}
