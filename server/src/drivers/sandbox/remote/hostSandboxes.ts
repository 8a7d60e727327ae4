// The sandboxes of a sandbox host: each has a slot and a lease, and ends with its processes and its folder when nobody renews it.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../../base/ids.ts'
import type { Log } from '../../../base/log.ts'
import { mustHave } from '../../../base/mustHave.ts'
import { removeTree } from '../../../base/removeTree.ts'
import type { Executed, SandboxDriver, Shell } from '../sandbox.ts'
import { changesOf, receiveChanges } from './carryFolder.ts'
import { changesBetween, seeFolder, type FolderState, type SeenFolder } from './folderState.ts'
import type { FrameReader } from './frames.ts'
import type { CommandWanted, Problem } from './protocol.ts'

/** What is refused, with the word and the sentence for the worker. */
export class Refused extends Error {
  readonly code: Problem['code']
  constructor(code: Problem['code'], message: string) {
    super(message)
    this.code = code
  }
}

interface HostSandboxesOptions {
  driver: SandboxDriver
  /** A folder of this process alone. */
  folder: string
  slots: number
  leaseMs: number
  bytesMax: number
  log: Log
}

interface HostSandbox {
  id: string
  folder: string
  root: string
  laid: string | undefined
  shell: Shell | undefined
  state: FolderState
  stateOfLaid: FolderState
  /** What is under way in it; never rejects. */
  working: Promise<unknown> | undefined
  /** It has not run anything yet: whoever opened it is about to. */
  isFresh: boolean
  isToYield: boolean
  lease: NodeJS.Timeout
  life: AbortController
  ending: Promise<void> | undefined
}

export interface Ran {
  executed: Executed
  seen: SeenFolder
  /** The changes as they go over the wire. */
  changes: AsyncGenerator<Buffer>
}

type Carry = (running: Promise<Ran>, ended: AbortSignal) => Promise<void>

export interface HostSandboxes {
  open(hasLaid: boolean): Promise<string>
  take(id: string, part: 'workspace' | 'laid', reader: FrameReader): Promise<void>
  /** Runs one command; `carry` sends what it left, and the sandbox is busy until it has. The signal is that of the sandbox's end. */
  run(id: string, wanted: CommandWanted, carry: Carry): Promise<void>
  renew(id: string, isToYield: boolean): void
  /** Resolves when nothing of it is left. */
  end(id: string, why: string): Promise<void>
  free(): number
  /** Takes nothing new, lets commands end within this time, and then ends everything. */
  stop(graceMs: number): Promise<void>
}

interface HostState extends HostSandboxesOptions {
  /** The longest idle first. */
  sandboxes: Map<string, HostSandbox>
  isStopping: boolean
}

export function createHostSandboxes(options: HostSandboxesOptions): HostSandboxes {
  const host: HostState = { ...options, sandboxes: new Map(), isStopping: false }
  const { sandboxes, slots } = host
  return {
    open: (hasLaid) => open(host, hasLaid),
    take: (id, part, reader) => hold(host, id, (sandbox) => take(host, sandbox, part, reader)),
    run: (id, wanted, carry) => hold(host, id, (sandbox) => carry(runIn(sandbox, wanted), sandbox.life.signal)),
    renew(id, isToYield) {
      const sandbox = found(host, id)
      clearTimeout(sandbox.lease)
      sandbox.lease = leaseOf(host, id)
      sandbox.isToYield = isToYield
    },
    end: async (id, why) => sandboxes.get(id)?.ending ?? endOf(host, id, why),
    free: () => slots - [...sandboxes.values()].filter((one) => one.isFresh || one.working !== undefined).length,
    async stop(graceMs) {
      host.isStopping = true
      const working = [...sandboxes.values()].flatMap((sandbox) => sandbox.working ?? [])
      const grace = Promise.withResolvers<void>()
      const timer = setTimeout(grace.resolve, graceMs)
      await Promise.race([Promise.all(working), grace.promise])
      clearTimeout(timer)
      const why = 'the sandbox host stops'
      await Promise.all([...sandboxes.values()].map(({ id, ending }) => ending ?? endOf(host, id, why)))
    },
  }
}

function found({ sandboxes }: HostState, id: string): HostSandbox {
  const sandbox = sandboxes.get(id)
  if (!sandbox || sandbox.ending) throw new Refused('not_found', 'This sandbox host has no such sandbox (any more).')
  return sandbox
}

function leaseOf(host: HostState, id: string): NodeJS.Timeout {
  return setTimeout(() => {
    endOf(host, id, 'its lease ran out').catch(notEnded(host, id))
  }, host.leaseMs)
}

const notEnded =
  ({ log }: HostState, sandbox: string) =>
  (error: unknown): void =>
    log.error({ err: error, sandbox }, 'a sandbox could not be ended')

function endOf(host: HostState, id: string, why: string): Promise<void> {
  const sandbox = found(host, id)
  host.log.info({ sandbox: id, why }, 'a sandbox ends')
  clearTimeout(sandbox.lease)
  sandbox.life.abort(new Error(`The sandbox was ended: ${why}.`))
  sandbox.ending = clear(host, sandbox).finally(() => host.sandboxes.delete(id))
  return sandbox.ending
}

/** What is under way in it has been asked to end. A folder that stays is of no concern to its worker, nor to whoever gets the slot. */
async function clear({ log }: HostState, sandbox: HostSandbox): Promise<void> {
  await sandbox.working
  await sandbox.shell?.close()
  const { id, folder } = sandbox
  await removeTree(folder).catch((error: unknown) =>
    log.error({ err: error, sandbox: id }, 'the folder of a sandbox could not be removed; the next start tries again'),
  )
}

/** One thing at a time happens in a sandbox, and none while it ends. */
async function hold<T>(host: HostState, id: string, work: (sandbox: HostSandbox) => Promise<T>): Promise<T> {
  const { sandboxes } = host
  const sandbox = found(host, id)
  if (sandbox.working) throw new Refused('busy', 'Something else is under way in this sandbox.')
  if (host.isStopping) throw stopping()
  const result = work(sandbox)
  sandbox.working = result.catch(() => undefined)
  try {
    return await result
  } finally {
    sandbox.working = undefined
    // now it is the one that was idle for the shortest time
    if (sandboxes.delete(id)) sandboxes.set(id, sandbox)
  }
}

const stopping = (): Refused =>
  new Refused('stopping', 'This sandbox host stops. Another one, or its next start, takes commands.')

/** Ends a sandbox without a command if every slot is taken: for its worker it was only a saving. */
async function freeSlot(host: HostState): Promise<void> {
  const { sandboxes, slots } = host
  while (sandboxes.size >= slots && !host.isStopping) {
    const all = [...sandboxes.values()]
    const idle = all.find(({ isFresh, working, ending }) => !isFresh && !working && !ending)
    const ending = all.flatMap((one) => one.ending ?? [])
    if (idle) await endOf(host, idle.id, 'another one needs its slot').catch(notEnded(host, idle.id))
    // whoever ended it is told why it could not be ended
    else if (ending.length > 0) await Promise.race(ending).catch(() => undefined)
    else throw new Refused('full', 'Every slot of this sandbox host has a command.')
  }
  if (host.isStopping) throw stopping()
}

async function open(host: HostState, hasLaid: boolean): Promise<string> {
  await freeSlot(host)
  const id = newId()
  const folder = join(host.folder, id)
  host.sandboxes.set(id, {
    id,
    folder,
    root: join(folder, 'workspace'),
    laid: hasLaid ? join(folder, 'laid') : undefined,
    shell: undefined,
    state: new Map(),
    stateOfLaid: new Map(),
    working: undefined,
    isFresh: true,
    isToYield: false,
    lease: leaseOf(host, id),
    life: new AbortController(),
    ending: undefined,
  })
  try {
    await hold(host, id, (sandbox) => begin(host.driver, sandbox))
    return id
  } catch (error) {
    if (host.sandboxes.get(id)?.ending === undefined) await endOf(host, id, 'it could not be opened')
    throw error
  }
}

async function begin(driver: SandboxDriver, sandbox: HostSandbox): Promise<void> {
  const { root, laid, life } = sandbox
  await mkdir(root, { recursive: true, mode: 0o755 })
  if (laid !== undefined) await mkdir(laid, { mode: 0o755 })
  sandbox.shell = await driver.open({ folder: root, laid, signal: life.signal })
}

async function take(
  { driver, bytesMax }: HostState,
  { root, laid, state, stateOfLaid, life }: HostSandbox,
  part: 'workspace' | 'laid',
  reader: FrameReader,
): Promise<void> {
  life.signal.addEventListener('abort', () => reader.giveUp('the sandbox was ended'), { once: true })
  reader.expectPace()
  if (part === 'workspace') return receiveChanges(reader, { root, state, owner: driver.owner }, bytesMax)
  if (laid === undefined) throw new Refused('invalid', 'This sandbox has nothing beside its workspace.')
  // commands read it and change nothing in it, so it belongs to this process
  return receiveChanges(reader, { root: laid, state: stateOfLaid, owner: undefined }, bytesMax)
}

async function runIn(sandbox: HostSandbox, wanted: CommandWanted): Promise<Ran> {
  const { root, shell, life } = sandbox
  sandbox.isFresh = false
  const isToYield = (): boolean => sandbox.isToYield
  const executed = await mustHave(shell, 'the shell of a sandbox').exec({ ...wanted, isToYield, signal: life.signal })
  const seen = await seeFolder(root)
  // of what was not seen whole nobody can say what is gone: nothing is carried
  const after = seen.isWhole ? seen.state : sandbox.state
  const changes = changesOf(root, after, changesBetween(sandbox.state, after))
  sandbox.state = after
  return { executed, seen, changes }
}
