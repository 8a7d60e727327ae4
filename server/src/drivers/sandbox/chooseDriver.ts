// Chooses the sandbox of this process: bubblewrap where it really works, else just-bash, which works everywhere.
import type { Outbound } from '../../base/outbound/fetch.ts'
import type { Guard } from '../../base/outbound/guard.ts'
import type { Log } from '../../base/log.ts'
import { bubblewrapDriver } from './bubblewrap.ts'
import { justBashDriver } from './justBash.ts'
import type { SandboxDriver } from './sandbox.ts'

export interface SandboxOptions {
  outbound: Outbound
  guard: Guard
  /** RUNYARD_SANDBOX_HOSTS: the only hosts that commands may reach. */
  hosts: string[]
  shellsMax: number
  log: Log
  prefer?: SandboxDriver['name']
}

export async function chooseSandboxDriver(options: SandboxOptions): Promise<SandboxDriver> {
  const { driver, why } = await choose(options)
  options.log.info({ driver: driver.name, why, strength: driver.strength }, 'sandbox chosen')
  return driver
}

async function choose(options: SandboxOptions): Promise<{ driver: SandboxDriver; why: string }> {
  if (options.prefer === 'just_bash') return { driver: justBashDriver(options), why: 'it is asked for' }
  const bubblewrap = await bubblewrapDriver(options)
  if (!('unusable' in bubblewrap)) return { driver: bubblewrap, why: 'bwrap works here' }
  if (options.prefer === 'bubblewrap') {
    throw new Error(`bubblewrap is asked for, but ${bubblewrap.unusable}. Fix that, or ask for just_bash.`)
  }
  return { driver: justBashDriver(options), why: bubblewrap.unusable }
}
