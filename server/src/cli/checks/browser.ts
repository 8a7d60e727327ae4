// Checks the browser that agents use, by starting it.
import { join } from 'node:path'
import { createGuard } from '../../base/outbound/guard.ts'
import { createLog } from '../../base/log.ts'
import { cdpDriver } from '../../drivers/browser/cdpDriver.ts'
import { chromiumDriver } from '../../drivers/browser/chromiumDriver.ts'
import { missingChromium } from '../../drivers/browser/chromiumFiles.ts'
import { ok, problem, warning, type Check } from './check.ts'

export const browser: Check = {
  name: 'browser',
  async run({ config, database }) {
    // before the first start there is no folder to unpack it into
    if (config.cdpUrl === undefined && !database) return ok('Chromium is unpacked when an agent first uses it')
    // everything else works without a browser
    const missing = config.cdpUrl === undefined ? missingChromium(config.chromium) : undefined
    if (missing !== undefined) return warning(missing)
    const guard = createGuard({ allowPrivateHosts: config.allowPrivateHosts })
    const driver =
      config.cdpUrl === undefined
        ? chromiumDriver({
            guard,
            log: createLog('silent'),
            named: config.chromium,
            cacheDir: join(config.dataDir, 'browser'),
          })
        : cdpDriver({ guard, cdpUrl: config.cdpUrl })
    try {
      return ok(await driver.strength())
    } catch (error) {
      return problem(error instanceof Error ? error.message : String(error))
    } finally {
      await driver.close()
    }
  },
}
