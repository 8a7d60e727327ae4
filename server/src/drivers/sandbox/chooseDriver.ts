// Chooses the sandbox of this process: sandbox hosts where settings name some, else bubblewrap where it really works, else just-bash.
import type { Config } from '../../base/config.ts'
import type { Outbound } from '../../base/outbound/fetch.ts'
import type { Guard } from '../../base/outbound/guard.ts'
import type { Log } from '../../base/log.ts'
import { bubblewrapDriver } from './bubblewrap.ts'
import { justBashDriver } from './justBash.ts'
import { remoteDriver, type RemoteSettings } from './remote/remote.ts'
import type { LocalDriverName, SandboxDriver } from './sandbox.ts'

export interface SandboxOptions {
  outbound: Outbound
  guard: Guard
  /** RUNYARD_SANDBOX_HOSTS: the only hosts that commands may reach. */
  hosts: string[]
  shellsMax: number
  log: Log
  prefer?: LocalDriverName
  /** The machines that commands run on; undefined: this one. */
  remote?: RemoteSettings | undefined
}

/** What of the settings is about the machines that commands run on. */
export function remoteSettingsOf(
  config: Pick<Config, 'sandboxUrls' | 'sandboxToken' | 'sandboxBytesMax'>,
): RemoteSettings | undefined {
  const { sandboxUrls: urls, sandboxToken: token, sandboxBytesMax: bytesMax } = config
  // settings with URLs and without a token are refused at the start
  return urls.length === 0 || token === undefined ? undefined : { urls, token, bytesMax }
}

export async function chooseSandboxDriver(options: SandboxOptions): Promise<SandboxDriver> {
  const { driver, why } = await choose(options)
  options.log.info({ driver: driver.name, why, strength: driver.strength }, 'sandbox chosen')
  return driver
}

async function choose(options: SandboxOptions): Promise<{ driver: SandboxDriver; why: string }> {
  const { remote } = options
  if (remote)
    return { driver: remoteDriver({ ...options, ...remote }), why: 'RUNYARD_SANDBOX_URLS names sandbox hosts' }
  if (options.prefer === 'just_bash') return { driver: justBashDriver(options), why: 'it is asked for' }
  const bubblewrap = await bubblewrapDriver(options)
  if (!('unusable' in bubblewrap)) return { driver: bubblewrap, why: 'bwrap works here' }
  if (options.prefer === 'bubblewrap') {
    throw new Error(`bubblewrap is asked for, but ${bubblewrap.unusable}. Fix that, or ask for just_bash.`)
  }
  return { driver: justBashDriver(options), why: bubblewrap.unusable }
}
