// The sandbox on another machine: a shell whose commands run at a sandbox host, on a copy of the folder that comes back after each of them.
import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isRecord } from '../../../base/isRecord.ts'
import { mustHave } from '../../../base/mustHave.ts'
import type { Log } from '../../../base/log.ts'
import { boundedText } from '../boundedText.ts'
import { openShells } from '../openShells.ts'
import {
  LeftTooMuch,
  usualLimits,
  type Command,
  type Executed,
  type SandboxDriver,
  type Shell,
  type ShellFolders,
} from '../sandbox.ts'
import { endingOf, withSentence } from '../watchCommand.ts'
import { changesOf, NoRoom, receiveChanges } from './carryFolder.ts'
import { changesBetween, seeFolder, type FolderState } from './folderState.ts'
import { BrokenStream, readFrames, type FrameReader } from './frames.ts'
import { createHostClient, HostAway, HostRefused } from './hostClient.ts'
import { createHosts, NoHost, type HeldSandbox, type Hosts } from './openOnHost.ts'
import {
  aliveEveryMs,
  carriedBytesMax,
  entriesCarriedMax,
  patienceMs,
  sentenceBytesMax,
  silentMs,
  unkeptNamedMax,
  type CommandLines,
  type CommandWanted,
  type ExecutedLine,
} from './protocol.ts'

export interface RemoteSettings {
  /** RUNYARD_SANDBOX_URLS. */
  urls: string[]
  /** RUNYARD_SANDBOX_TOKEN. */
  token: string
  /** RUNYARD_SANDBOX_BYTES. */
  bytesMax: number
}

interface RemoteOptions extends RemoteSettings {
  /** RUNYARD_SANDBOX_HOSTS. */
  hosts: string[]
  shellsMax: number
  log: Log
}

interface ShellState extends ShellFolders {
  hosts: Hosts
  bytesMax: number
  log: Log
  /** How often a command that no host has begun with is offered. */
  attemptsMax: number
  held: Copied | undefined
}

/** A sandbox on a host, and what the folder here had when both were last equal. */
interface Copied {
  sandbox: HeldSandbox
  state: FolderState
  isLaid: boolean
}

/** How often a host that does not answer is asked whether a sandbox has ended. */
const askAgainMs = 500
/** A command may wait for its shell to start and for its processes to end; a busy machine takes long. */
const besideCommandMs = 150_000

export function remoteDriver({
  urls,
  token,
  bytesMax,
  hosts: reachable,
  shellsMax,
  log,
}: RemoteOptions): SandboxDriver {
  const clients = urls.map((url) => createHostClient(url, token))
  const hosts = createHosts(clients, reachable, log)
  // a sandbox may also have been ended by its host while it was idle
  const shared = { hosts, bytesMax, log, attemptsMax: urls.length + 3 }
  const machines = urls.length === 1 ? 'a machine of its own' : `${urls.length} machines of their own`
  return {
    name: 'remote',
    strength:
      `remote: commands run on ${machines}, which have neither the database nor its keys, in the sandbox that each of them has ` +
      '(runyard doctor says which); they see the files and secrets that their commands are given.',
    owner: undefined,
    ...openShells(shellsMax, (folders) => remoteShell({ ...folders, ...shared, held: undefined })),
  }
}

function remoteShell(shell: ShellState): Shell {
  return {
    async exec(command) {
      try {
        return await run(shell, command)
      } catch (error) {
        const host = shell.held?.sandbox.client
        const isBroken = error instanceof BrokenStream
        // at once: the end of its sandbox may take long, and others would be sent there meanwhile
        if (isBroken && host) shell.hosts.failed(host)
        await endSurely(shell)
        command.signal.throwIfAborted()
        if (!isBroken) throw error
        shell.log.warn({ err: error, host: host?.url }, 'a sandbox host went away while a command ran')
        return died(command)
      }
    },
    async close() {
      const { held, log } = shell
      shell.held = undefined
      if (!held) return
      held.sandbox.stopRenewing()
      await askToEnd(held.sandbox).catch((error: unknown) =>
        log.debug({ err: error }, 'a sandbox could not be closed; its lease ends it'),
      )
    },
  }
}

async function run(shell: ShellState, command: Command): Promise<Executed> {
  const response = await begin(shell, command)
  const held = mustHave(shell.held, 'the sandbox of a command')
  held.sandbox.isToYield = command.isToYield ?? never
  try {
    return await outcomeOf(shell, held, command, response)
  } finally {
    held.sandbox.isToYield = never
    response.destroy()
  }
}

const never = (): boolean => false

/** Until a host has begun with the command, another one can be asked. From then on it is in doubt, and never sent again. */
async function begin(shell: ShellState, command: Command): Promise<IncomingMessage> {
  const { language, code, env = {}, timeoutMs, outputBytesMax, signal } = command
  const json: CommandWanted = { language, code, env, timeoutMs, outputBytesMax }
  for (let attempt = 1; attempt <= shell.attemptsMax; attempt += 1) {
    const held = (shell.held ??= await openCopy(shell, signal))
    const { client, path } = held.sandbox
    let isSent = false
    try {
      await makeEqual(shell, held, signal)
      isSent = true
      return await client.ask({ method: 'POST', path: `${path}/command`, withinMs: patienceMs, json, signal })
    } catch (error) {
      const isAway = error instanceof HostAway
      if (isSent && isAway && !error.isNobody) throw new BrokenStream('no answer to a command', { cause: error })
      if (isAway) shell.hosts.failed(client)
      await endSurely(shell)
      signal.throwIfAborted()
      if (!isAway && !(error instanceof HostRefused)) throw error
      shell.log.info({ err: error, host: client.url }, 'a sandbox host did not take a command; it is offered again')
    }
  }
  throw new NoHost()
}

async function openCopy({ hosts, laid }: ShellState, signal: AbortSignal): Promise<Copied> {
  return { sandbox: await hosts.open(laid !== undefined, signal), state: new Map(), isLaid: laid === undefined }
}

/** Makes the folders on the host as they are here. */
async function makeEqual({ folder, laid }: ShellState, held: Copied, signal: AbortSignal): Promise<void> {
  const { client, path } = held.sandbox
  const put = async (part: string, from: string, before: FolderState): Promise<FolderState> => {
    const { state, isWhole } = await seeFolder(from)
    if (!isWhole)
      throw new Error(`There are more than ${entriesCarriedMax} files; a sandbox on another machine takes no more.`)
    const changes = changesBetween(before, state)
    if (changes.gone.length + changes.present.length === 0) return state
    const stream = changesOf(from, state, changes)
    await client.askJson({ method: 'PUT', path: `${path}/${part}`, withinMs: patienceMs, stream, signal })
    return state
  }
  if (!held.isLaid && laid !== undefined) {
    await put('laid', laid, new Map())
    held.isLaid = true
  }
  held.state = await put('workspace', folder, held.state)
}

async function outcomeOf(
  { folder, bytesMax }: ShellState,
  { state }: Copied,
  command: Command,
  response: IncomingMessage,
): Promise<Executed> {
  const carriedMax = carriedBytesMax(bytesMax)
  const reader = readFrames(response, 2 * carriedMax)
  const result = await resultLine(reader, command.timeoutMs + besideCommandMs)
  const { stdout_bytes, stderr_bytes, unkept } = result
  if (!result.is_whole) throw new LeftTooMuch(`The command left more than ${entriesCarriedMax} files and folders.`)
  const { outputBytesMax } = command
  if (stdout_bytes > outputBytesMax || stderr_bytes > outputBytesMax + sentenceBytesMax)
    throw reader.giveUp('the host sends more output than was asked for')
  reader.expectPace()
  const stdout = boundedText(await collected(reader, stdout_bytes), outputBytesMax)
  const stderr = boundedText(await collected(reader, stderr_bytes), outputBytesMax + sentenceBytesMax)
  await receiveChanges(reader, { root: folder, state, owner: undefined }, carriedMax).catch((error: unknown) => {
    throw error instanceof NoRoom ? new LeftTooMuch(error.message) : error
  })
  const { exit_code, duration_ms, cut_off } = result
  const truncated = result.truncated || stdout.truncated || stderr.truncated
  const said = unkept.length === 0 ? stderr.text : withSentence(stderr.text, unkeptSentence(unkept))
  return { exit_code, stdout: stdout.text, stderr: said, truncated, duration_ms, cut_off }
}

/** A host says each second that it is alive; one that says it without end would only take our time. */
async function resultLine(reader: FrameReader, withinMs: number): Promise<ExecutedLine> {
  const until = performance.now() + withinMs
  for (let linesLeft = (2 * withinMs) / aliveEveryMs; linesLeft > 0; linesLeft -= 1) {
    const { alive, failed, executed } = (await reader.line()) as Partial<Record<keyof CommandLines, unknown>>
    if (typeof failed === 'string') throw new Error(failed.slice(0, 1000))
    if (isExecuted(executed)) return executed
    if (alive !== true) throw reader.giveUp('the host says something else than was asked')
    if (performance.now() > until) break
  }
  throw reader.giveUp('the command takes longer than it may')
}

/** The types promise this, but a host may send anything. */
function isExecuted(value: unknown): value is ExecutedLine {
  if (!isRecord(value)) return false
  const { exit_code, stdout_bytes, stderr_bytes, truncated, duration_ms, cut_off, unkept, is_whole } = value
  const areCounts = [exit_code, stdout_bytes, stderr_bytes, duration_ms].every(
    (one) => Number.isSafeInteger(one) && (one as number) >= 0,
  )
  const isCutOff = cut_off === null || cut_off === 'timeout' || cut_off === 'memory' || cut_off === 'died'
  const areNames =
    Array.isArray(unkept) && unkept.length <= unkeptNamedMax && unkept.every((one) => typeof one === 'string')
  return (
    areCounts &&
    (exit_code as number) <= 255 &&
    isCutOff &&
    areNames &&
    typeof truncated === 'boolean' &&
    typeof is_whole === 'boolean'
  )
}

async function collected(reader: FrameReader, count: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of reader.bytes(count)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const unkeptSentence = (paths: string[]): string =>
  `Only files, folders and links with names in UTF-8 come back from a sandbox; removed: ${paths.map((path) => JSON.stringify(path)).join(', ')}.`

/** Resolves when nothing of the sandbox lives: its host says so, or no process is there any more, or its lease has run out. */
async function endSurely(shell: ShellState): Promise<void> {
  const { held, hosts, log } = shell
  shell.held = undefined
  if (!held) return
  const { sandbox } = held
  sandbox.stopRenewing()
  for (;;) {
    try {
      return await askToEnd(sandbox)
    } catch (error) {
      if (error instanceof HostRefused && error.status === 404) return
      if (error instanceof HostAway && error.isNobody) return
      hosts.failed(sandbox.client)
      log.debug({ err: error, host: sandbox.client.url }, 'a sandbox host does not say that a sandbox has ended')
    }
    if (performance.now() > sandbox.leaseOverAt()) return
    await pause(askAgainMs)
  }
}

async function askToEnd({ client, path }: HeldSandbox): Promise<void> {
  await client.askJson({ method: 'DELETE', path, withinMs: silentMs })
}

/** The result of a shell that died; the folder has nothing of the command. */
function died(command: Command): Executed {
  const { exit_code, cut_off, sentence } = endingOf('died', command, usualLimits)
  const stderr = withSentence('', `${sentence} The files are as they were before it.`)
  return { exit_code, stdout: '', stderr, truncated: false, duration_ms: 0, cut_off }
}
