// The workbench of a process: sandboxes laid out in folders of its own, and the shells that run commands in them.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { createFairPool, teamShare, type FairPool } from '../../../base/fairPool.ts'
import { newId } from '../../../base/ids.ts'
import { isAlive } from '../../../base/isAlive.ts'
import { chooseSandboxDriver } from '../../../drivers/sandbox/chooseDriver.ts'
import { endLeftIn } from '../../../drivers/sandbox/processTree.ts'
import type { Command, Executed, SandboxDriver, Shell } from '../../../drivers/sandbox/sandbox.ts'
import type { Context } from '../../../kit/context.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import { createLayout, type PathChange } from '../workspace/workspaceFolder.ts'
import type { Place } from '../workspace/workspace.ts'
import { runningPart } from '../../../kit/runningPart.ts'

interface Workbench {
  /** A sentence for people: what commands run in here, and how strong that wall is. */
  strength(): Promise<string>
  /** Slots for commands, with how many each team holds. */
  slots: Pick<FairPool, 'taken' | 'waiting' | 'fullTeams'>
  /** A sandbox at this process: its files are laid out when the first command comes. */
  open(place: Place): Promise<Bench>
  close(): Promise<void>
}

export interface Bench {
  place: Place
  /** Runs one command on this version of the workspace. A workspace runs one command at a time; the next waits, and teams take turns. */
  run(version: string, command: Command): Promise<Ran>
  /** Its folder and its shell go. */
  close(): Promise<void>
}

export interface Ran {
  executed: Executed
  changes: PathChange[]
  /** What the command left that no workspace can keep. */
  unkept: string[]
  /** That it began with. */
  version: string
  /** Told with the version that the changes make, in the transaction that records them. */
  proposed: (version: string) => void
}

export const workbenchOf = runningPart('sandbox pool', createWorkbench)

/** The main thread waits until a process has begun: 10 to 20 ms, and longer on a busy machine. */
const startMs = 15

interface IdleShell {
  close(): Promise<void>
}

function createWorkbench(context: Context): Workbench {
  const { config, db, guard, outbound, log } = context
  const time = teamTimeOf(context)
  let choosing: Promise<SandboxDriver> | undefined
  let room: Promise<string> | undefined
  const slots = createFairPool({
    name: 'commands in sandboxes',
    size: config.sandboxShells,
    perTeam: teamShare(config.sandboxShells, config.teamShare),
  })
  /** Shells that are open and idle, the longest idle first: they are closed when a command needs a shell. */
  const idle = new Set<IdleShell>()
  const closing = new Set<Promise<void>>()
  let shells = 0

  const driver = () =>
    (choosing ??= chooseSandboxDriver({
      outbound,
      guard,
      hosts: config.sandboxHosts,
      shellsMax: config.sandboxShells,
      log,
      ...(config.sandbox !== 'auto' && { prefer: config.sandbox }),
    }))

  /** The caller holds a slot. So when all shells are open, one of them is idle or about to close. */
  async function openShell(folder: string, teamId: string, signal: AbortSignal): Promise<Shell> {
    await time.turn(teamId)
    time.usedThread(teamId, startMs)
    while (shells >= config.sandboxShells) {
      const [longest] = idle
      await (longest ? longest.close() : Promise.race(closing))
    }
    shells += 1
    try {
      return await (await driver()).open({ folder, signal })
    } catch (error) {
      shells -= 1
      throw error
    }
  }

  function closeShell(shell: Shell): Promise<void> {
    const ended = shell.close().finally(() => {
      shells -= 1
      closing.delete(ended)
    })
    closing.add(ended)
    return ended
  }

  async function open(place: Place): Promise<Bench> {
    const folder = join(await (room ??= makeRoom(config.dataDir)), newId())
    await mkdir(folder, { mode: 0o755 })
    const { owner } = await driver()
    const layout = createLayout(db, place, folder, owner)
    let shell: Shell | undefined
    let line: Promise<unknown> = Promise.resolve()
    let isClosed = false

    const resting: IdleShell = {
      async close() {
        idle.delete(resting)
        const ended = shell
        if (!ended) return
        shell = undefined
        await closeShell(ended)
      },
    }

    async function run(version: string, command: Command): Promise<Ran> {
      const release = await slots.take(place.team_id, command.signal)
      try {
        if (isClosed) throw new Error('this sandbox is no longer at this process')
        idle.delete(resting)
        return await runInShell(version, command)
      } finally {
        if (isClosed) await resting.close()
        else if (shell) idle.add(resting)
        release()
      }
    }

    async function runInShell(version: string, command: Command): Promise<Ran> {
      await layout.bringTo(version)
      shell ??= await openShell(folder, place.team_id, command.signal)
      try {
        const executed = await shell.exec(command)
        const { changes, unkept } = await layout.findChanges(command.signal)
        return { executed, changes, unkept, version, proposed: (next) => layout.proposed(changes, next) }
      } catch (error) {
        await layout.clear()
        throw error
      }
    }

    return {
      place,
      run(version, command) {
        const ran = line.then(() => run(version, command))
        line = ran.catch(() => undefined)
        return ran
      },
      async close() {
        isClosed = true
        await resting.close()
        await line
        await rm(folder, { recursive: true, force: true })
      },
    }
  }

  return {
    async strength() {
      try {
        const { strength } = await driver()
        return strength
      } catch (error) {
        return `Commands cannot run on this server: ${error instanceof Error ? error.message : String(error)}`
      }
    },
    slots,
    open,
    async close() {
      await (await choosing)?.close()
      if (room) await rm(await room, { recursive: true, force: true })
    },
  }
}

/** A folder for the sandboxes of this process. What processes of this machine left that are gone is ended and removed. */
async function makeRoom(dataDir: string): Promise<string> {
  const rooms = resolve(dataDir, 'sandboxes')
  await mkdir(rooms, { recursive: true, mode: 0o711 })
  const machine = hostname().replace(/[^\w.-]/g, '_')
  for (const name of await readdir(rooms)) {
    const [, pid] = name.startsWith(`${machine}+`) ? name.split('+') : []
    if (pid !== undefined && (Number(pid) === process.pid ? !ours.has(name) : !isAlive(Number(pid)))) {
      await endLeftIn(join(rooms, name))
      await rm(join(rooms, name), { recursive: true, force: true })
    }
  }
  const name = `${machine}+${process.pid}+${newId()}`
  ours.add(name)
  await mkdir(join(rooms, name), { mode: 0o711 })
  return join(rooms, name)
}

/** The rooms of this very process: a number may have been another's before. */
const ours = new Set<string>()
