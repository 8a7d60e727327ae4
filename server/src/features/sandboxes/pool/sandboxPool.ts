// The sandboxes of a process: each is laid out in a folder, and the process shares its shells and slots between them.
import { teamShare, type FairPool } from '../../../base/fairPool.ts'
import { createSharedPool } from '../../../kit/sharedPools.ts'
import { chooseSandboxDriver, remoteSettingsOf } from '../../../drivers/sandbox/chooseDriver.ts'
import type { SandboxDriver, Shell, ShellFolders } from '../../../drivers/sandbox/sandbox.ts'
import type { Context } from '../../../kit/context.ts'
import type { LaidFile } from '../../../kit/given.ts'
import { runningPart } from '../../../kit/runningPart.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import type { WorkspaceRef } from '../workspace/workspace.ts'
import { openSandbox, type OpenSandbox, type PoolState } from './openSandbox.ts'
import { makeProcessFolder } from '../../../drivers/sandbox/processFolder.ts'

interface SandboxPool {
  /** A sentence for people: what commands run in, and how strong that isolation is. */
  strength(): Promise<string>
  /** Slots for commands, with how many each team holds. */
  slots: Pick<FairPool, 'taken' | 'waiting' | 'fullTeams'>
  /** A sandbox in this process: its files, and those beside the workspace, are laid out when the first command comes. */
  open(workspace: WorkspaceRef, laid?: LaidFile[]): Promise<OpenSandbox>
  close(): Promise<void>
}

export const sandboxPoolOf = runningPart('sandbox pool', createSandboxPool)

function createSandboxPool(context: Context): SandboxPool {
  const { config } = context
  const driver = onceDone(() => chooseDriver(context))
  const folder = onceDone(() => makeProcessFolder(config.dataDir, context.log))
  const pool: PoolState = {
    context,
    slots: createSharedPool(context, {
      name: 'commands in sandboxes',
      size: config.sandboxShells,
      perTeam: teamShare(config.sandboxShells, config.teamShare),
    }),
    idle: new Set(),
    closing: new Set(),
    shells: 0,
    driver: driver.get,
    folder: async () => (await folder.get()).path,
    openShell: (folders, teamId, signal) => openShell(pool, folders, teamId, signal),
    closeShell: (shell) => closeShell(pool, shell),
  }
  return {
    slots: pool.slots,
    strength: () => strengthOf(pool),
    open: (workspace, laid) => openSandbox(pool, workspace, laid),
    async close() {
      await (await driver.done())?.close()
      await (await folder.done())?.remove()
    },
  }
}

interface OnceDone<T> {
  get: () => Promise<T>
  /** What was got; undefined: nothing. */
  done(): Promise<T | undefined>
}

/** A failure is not kept: whoever asks next tries again. */
function onceDone<T>(work: () => Promise<T>): OnceDone<T> {
  let doing: Promise<T> | undefined
  const forget = (): undefined => (doing = undefined)
  return {
    get() {
      if (!doing) {
        doing = work()
        doing.catch(forget)
      }
      return doing
    },
    done: async () => doing?.catch(forget),
  }
}

const chooseDriver = ({ config, guard, outbound, log }: Context): Promise<SandboxDriver> =>
  chooseSandboxDriver({
    outbound,
    guard,
    hosts: config.sandboxHosts,
    shellsMax: config.sandboxShells,
    log,
    remote: remoteSettingsOf(config),
    ...(config.sandbox !== 'auto' && { prefer: config.sandbox }),
  })

async function strengthOf(pool: PoolState): Promise<string> {
  try {
    const { strength } = await pool.driver()
    return strength
  } catch (error) {
    return `Commands cannot run on this server: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** How long the main thread waits until a process has begun: 10 to 20 ms, and longer on a busy machine. */
const startMs = 15

/** The caller holds a slot. So when all shells are open, one of them is idle or about to close. */
async function openShell(pool: PoolState, folders: ShellFolders, teamId: string, signal: AbortSignal): Promise<Shell> {
  const time = teamTimeOf(pool.context)
  time.usedThread(teamId, startMs)
  while (pool.shells >= pool.context.config.sandboxShells) {
    const [longest] = pool.idle
    await (longest ? longest.close() : Promise.race(pool.closing))
  }
  pool.shells += 1
  try {
    return await (await pool.driver()).open({ ...folders, signal })
  } catch (error) {
    pool.shells -= 1
    throw error
  }
}

function closeShell(pool: PoolState, shell: Shell): Promise<void> {
  const ended = shell.close().finally(() => {
    pool.shells -= 1
    pool.closing.delete(ended)
  })
  pool.closing.add(ended)
  return ended
}
