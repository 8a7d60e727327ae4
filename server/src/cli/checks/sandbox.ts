// Checks the isolation of the commands that agents run, or the sandbox hosts that they run on.
import { createGuard } from '../../base/outbound/guard.ts'
import { createOutbound } from '../../base/outbound/fetch.ts'
import { createLog } from '../../base/log.ts'
import { chooseSandboxDriver, remoteSettingsOf } from '../../drivers/sandbox/chooseDriver.ts'
import { factsOfHost } from '../../drivers/sandbox/remote/hostClient.ts'
import type { RemoteSettings } from '../../drivers/sandbox/remote/remote.ts'
import { ok, problem, type Check, type Finding } from './check.ts'

export const sandbox: Check = {
  name: 'sandbox',
  async run({ config }) {
    const remote = remoteSettingsOf(config)
    if (remote) return lookAtHosts(remote)
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

async function lookAtHosts({ urls, token }: RemoteSettings): Promise<Finding> {
  const seen = await Promise.all(
    urls.map(async (url) => {
      try {
        const { version, driver, slots, free } = await factsOfHost(url, token)
        return { isGood: true, says: `${url} answers: Runyard ${version}, ${driver}, ${free} of ${slots} slots free` }
      } catch (error) {
        return { isGood: false, says: error instanceof Error ? error.message : String(error) }
      }
    }),
  )
  const says = `commands run on sandbox hosts. ${seen.map((one) => one.says).join('; ')}`
  return seen.every(({ isGood }) => isGood) ? ok(says) : problem(says)
}
