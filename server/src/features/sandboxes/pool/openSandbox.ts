// One sandbox in this process: its folder, its shell, and its commands one after the other.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FairPool } from '../../../base/fairPool.ts'
import { newId } from '../../../base/ids.ts'
import type { Command, Executed, SandboxDriver, Shell } from '../../../drivers/sandbox/sandbox.ts'
import type { Context } from '../../../kit/context.ts'
import { backgroundDatabaseOf } from '../../../kit/teamDatabase.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import { bringTo } from '../workspace/bringTo.ts'
import { findChanges } from '../workspace/findChanges.ts'
import type { WorkspaceRef } from '../workspace/workspace.ts'
import {
  clearFolder,
  openWorkspaceFolder,
  propose,
  type PathChange,
  type WorkspaceFolder,
} from '../workspace/workspaceFolder.ts'

/** What the sandboxes of a process share. */
export interface PoolState {
  context: Context
  slots: FairPool
  /** Shells that are open and idle, the longest idle first: they are closed when a command needs a shell. */
  idle: Set<IdleShell>
  closing: Set<Promise<void>>
  shells: number
  driver(): Promise<SandboxDriver>
  /** The folder of this process, in which each sandbox has its own. */
  folder(): Promise<string>
  openShell(folder: string, teamId: string, signal: AbortSignal): Promise<Shell>
  closeShell(shell: Shell): Promise<void>
}

interface IdleShell {
  close(): Promise<void>
}

/** Whether it is to yield depends on what its team used. */
type WantedCommand = Omit<Command, 'isToYield'>

export interface OpenSandbox {
  workspace: WorkspaceRef
  /** Runs one command on this version of the workspace. A workspace runs one command at a time; the next waits, and teams take turns. */
  run(version: string, command: WantedCommand): Promise<CommandOutcome>
  /** Removes its folder and closes its shell. */
  close(): Promise<void>
}

export interface CommandOutcome {
  executed: Executed
  changes: PathChange[]
  /** What the command left that no workspace can hold. */
  unkept: string[]
  /** The version that the command began with. */
  version: string
  /** Called with the version that the changes make, in the transaction that records them. */
  proposed: (version: string) => void
}

interface SandboxState {
  pool: PoolState
  workspace: WorkspaceRef
  at: WorkspaceFolder
  shell: Shell | undefined
  asIdle: IdleShell
  isClosed: boolean
}

export async function openSandbox(pool: PoolState, workspace: WorkspaceRef): Promise<OpenSandbox> {
  const folder = join(await pool.folder(), newId())
  await mkdir(folder, { mode: 0o755 })
  const { owner } = await pool.driver()
  const { team_id } = workspace
  const time = teamTimeOf(pool.context)
  const state: SandboxState = {
    pool,
    workspace,
    at: openWorkspaceFolder({
      sql: backgroundDatabaseOf(pool.context, team_id).sql,
      charge: (files, bytes) => time.handledFiles(team_id, files, bytes),
      workspace,
      folder,
      owner,
    }),
    shell: undefined,
    asIdle: { close: () => closeShell(state) },
    isClosed: false,
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    workspace,
    run(version, command) {
      const outcome = last.then(() => runInTurn(state, version, command))
      last = outcome.catch(() => undefined)
      return outcome
    },
    async close() {
      state.isClosed = true
      await closeShell(state)
      await last
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function closeShell(state: SandboxState): Promise<void> {
  const { pool, shell } = state
  pool.idle.delete(state.asIdle)
  if (!shell) return
  state.shell = undefined
  await pool.closeShell(shell)
}

async function runInTurn(state: SandboxState, version: string, command: WantedCommand): Promise<CommandOutcome> {
  const { pool, workspace, asIdle } = state
  const release = await pool.slots.take(workspace.team_id, command.signal)
  try {
    if (state.isClosed) throw new Error('this sandbox is no longer in this process')
    pool.idle.delete(asIdle)
    return await runInShell(state, version, command)
  } finally {
    if (state.isClosed) await closeShell(state)
    else if (state.shell) pool.idle.add(asIdle)
    release()
  }
}

async function runInShell(state: SandboxState, version: string, command: WantedCommand): Promise<CommandOutcome> {
  const { pool, workspace, at } = state
  const time = teamTimeOf(pool.context)
  await time.turn(workspace.team_id)
  await bringTo(at, version)
  const shell = (state.shell ??= await pool.openShell(at.folder, workspace.team_id, command.signal))
  try {
    const executed = await shell.exec({ ...command, isToYield: () => time.isAhead(workspace.team_id) })
    const { changes, unkept } = await findChanges(at, command.signal)
    return { executed, changes, unkept, version, proposed: (next) => propose(at, changes, next) }
  } catch (error) {
    await clearFolder(at)
    throw error
  }
}
