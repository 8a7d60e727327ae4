// Checks the isolation of the commands that agents run.
import { createGuard } from '../../base/outbound/guard.ts'
import { createOutbound } from '../../base/outbound/fetch.ts'
import { createLog } from '../../base/log.ts'
import { chooseSandboxDriver } from '../../drivers/sandbox/chooseDriver.ts'
import { ok, problem, type Check } from './check.ts'

export const sandbox: Check = {
  name: 'sandbox',
  async run({ config }) {
    const guard = createGuard({ allowPrivateHosts: config.allowPrivateHosts })
    const outbound = createOutbound(guard)
    try {
      const driver = await chooseSandboxDriver({
        outbound,
        guard,
        hosts: config.sandboxHosts,
        shellsMax: config.sandboxShells,
        log: createLog('silent'),
        ...(config.sandbox !== 'auto' && { prefer: config.sandbox }),
      })
      await driver.close()
      const hint = 'Install bubblewrap (the command bwrap) for real processes behind kernel walls.'
      return ok(driver.name === 'bubblewrap' ? driver.strength : `${driver.strength} ${hint}`)
    } catch (error) {
      return problem(error instanceof Error ? error.message : String(error))
    } finally {
      await outbound.close()
    }
  },
}
