// One sandbox in this process: its folder, its shell, and its commands one after the other.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FairPool } from '../../../base/fairPool.ts'
import { newId } from '../../../base/ids.ts'
import type { Scrub } from '../../../base/knownSecrets.ts'
import { removeTree } from '../../../base/removeTree.ts'
import type { Command, Executed, SandboxDriver, Shell, ShellFolders } from '../../../drivers/sandbox/sandbox.ts'
import { blobsOfRuns } from '../../../kit/blobs.ts'
import type { Context } from '../../../kit/context.ts'
import { backgroundDatabaseOf } from '../../../kit/teamDatabase.ts'
import type { LaidFile } from '../../../kit/given.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import { bringTo } from '../workspace/bringTo.ts'
import { findChanges } from '../workspace/findChanges.ts'
import { layFiles } from './layFiles.ts'
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
  openShell(folders: ShellFolders, teamId: string, signal: AbortSignal): Promise<Shell>
  closeShell(shell: Shell): Promise<void>
}

interface IdleShell {
  close(): Promise<void>
}

/** Whether it is to yield depends on what its team used. */
interface WantedCommand extends Omit<Command, 'isToYield'> {
  /** Cuts secrets out of the files that it leaves. */
  scrub?: Scrub | undefined
}

export interface OpenSandbox {
  workspace: WorkspaceRef
  /** Runs one command on this version of the workspace. A workspace runs one command at a time; the next waits, and teams take turns. */
  run(version: string, command: WantedCommand): Promise<CommandOutcome>
  /** Closes its shell and removes its folder. A folder that cannot be removed is logged: it is of no concern to whoever comes next. */
  close(): Promise<void>
}

export interface CommandOutcome {
  executed: Executed
  changes: PathChange[]
  /** What the command left that no workspace can hold. */
  unkept: string[]
  /** What it left with a secret in it, and that is removed therefore. */
  withheld: string[]
  /** The version that the command began with. */
  version: string
  /** Called with the version that the changes make, in the transaction that records them. */
  proposed: (version: string) => void
}

/** How long a team that used more than its share waits with the files of one command, before it and after it: its caller waits too. */
const pacedMs = 10_000

interface SandboxState {
  pool: PoolState
  workspace: WorkspaceRef
  at: WorkspaceFolder
  /** What lies beside the workspace, and where; laid before the first command. */
  laid: { files: LaidFile[]; folder: string; isDone: boolean }
  /** Until then, work with its files waits if its team used more than its share. */
  pacedUntil: number
  shell: Shell | undefined
  asIdle: IdleShell
  isClosed: boolean
}

export async function openSandbox(
  pool: PoolState,
  workspace: WorkspaceRef,
  laidFiles: LaidFile[] = [],
): Promise<OpenSandbox> {
  const id = newId()
  const folder = join(await pool.folder(), id)
  await mkdir(folder, { mode: 0o755 })
  const { owner } = await pool.driver()
  const { team_id } = workspace
  const time = teamTimeOf(pool.context)
  const { sql } = backgroundDatabaseOf(pool.context, team_id)
  const state: SandboxState = {
    pool,
    workspace,
    at: openWorkspaceFolder({
      sql,
      blobs: blobsOfRuns(pool.context, sql),
      charge(files, bytes) {
        time.handledFiles(team_id, files, bytes)
        const leftMs = state.pacedUntil - performance.now()
        return leftMs > 0 ? time.nextPart(team_id, leftMs) : undefined
      },
      workspace,
      folder,
      owner,
    }),
    laid: { files: laidFiles, folder: join(await pool.folder(), `laid-${id}`), isDone: false },
    pacedUntil: 0,
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
      for (const one of [folder, state.laid.folder]) {
        await removeTree(one).catch((error: unknown) =>
          pool.context.log.warn(
            { err: error, folder: one },
            'the folder of a sandbox could not be removed; the next start tries again',
          ),
        )
      }
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

async function layOnce({ pool, workspace, at, laid }: SandboxState): Promise<string | undefined> {
  const { files, folder, isDone } = laid
  if (files.length === 0) return undefined
  if (isDone) return folder
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  const { sandboxBytesMax } = pool.context.config
  if (bytes > sandboxBytesMax) {
    throw new Error(
      `The files and skills of the build have ${bytes} bytes together; a sandbox takes at most ${sandboxBytesMax}. Name fewer.`,
    )
  }
  // what an earlier attempt left is not whole
  await removeTree(folder)
  await layFiles(at.blobs, folder, files)
  teamTimeOf(pool.context).handledFiles(workspace.team_id, files.length, bytes)
  laid.isDone = true
  return folder
}

async function runInShell(state: SandboxState, version: string, command: WantedCommand): Promise<CommandOutcome> {
  const { pool, workspace, at } = state
  const time = teamTimeOf(pool.context)
  await time.turn(workspace.team_id)
  state.pacedUntil = performance.now() + pacedMs
  await bringTo(at, version)
  const folders = { folder: at.folder, laid: await layOnce(state) }
  const shell = (state.shell ??= await pool.openShell(folders, workspace.team_id, command.signal))
  try {
    const { scrub, ...wanted } = command
    const executed = await shell.exec({ ...wanted, isToYield: () => time.isAhead(workspace.team_id) })
    state.pacedUntil = performance.now() + pacedMs
    const found = await findChanges(at, command.signal, scrub)
    const { changes } = found
    return { executed, ...found, version, proposed: (next) => propose(at, changes, next) }
  } catch (error) {
    await clearFolder(at)
    throw error
  }
}
