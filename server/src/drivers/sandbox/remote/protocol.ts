// What a worker and a sandbox host say to each other, and the bounds that both keep (decision 0067).
import { usualLimits, type Command, type Executed } from '../sandbox.ts'

/** Raised when one side would no longer understand the other: then both refuse each other. */
export const protocolVersion = '1'
export const protocolHeader = 'runyard-sandbox-protocol'
/** The version of Runyard, for people. */
export const versionHeader = 'runyard-version'

export interface HostFacts {
  version: string
  protocol: string
  driver: string
  strength: string
  slots: number
  /** Slots without a command. */
  free: number
}

export interface OpenWanted {
  /** RUNYARD_SANDBOX_HOSTS of the worker, which must be that of the host. */
  hosts: string[]
  has_laid: boolean
}

export interface Opened {
  id: string
  lease_ms: number
}

export type CommandWanted = Pick<Command, 'language' | 'code' | 'env' | 'timeoutMs' | 'outputBytesMax'>

/** The result as a line; the bytes of stdout and then of stderr follow it. */
export interface ExecutedLine extends Omit<Executed, 'stdout' | 'stderr'> {
  stdout_bytes: number
  stderr_bytes: number
  /** What cannot be carried: pipes, sockets, names that are not UTF-8. The host removed it. */
  unkept: string[]
  /** False: it left more entries than are carried, and so none is. */
  is_whole: boolean
}

/** The lines of the answer to a command, each with one of these names. The files that changed follow the result. */
export interface CommandLines {
  alive: true
  executed: ExecutedLine
  /** The command could not be run, in a sentence. */
  failed: string
}

export interface Problem {
  code: 'unauthorized' | 'protocol' | 'settings' | 'full' | 'stopping' | 'not_found' | 'busy' | 'invalid' | 'failed'
  message: string
}

/** The sentence about a cut-off comes on top of the output that was asked for. */
export const sentenceBytesMax = 1024
/** A line that has no bytes after it; a path has at most 4,096. */
export const lineBytesMax = 64 * 1024
/** The code of a tool's command has at most a million characters, and its secrets come on top. */
export const commandBytesMax = 16 * 1024 * 1024
/** Files, links and folders; a workspace may have half as many files. */
export const entriesCarriedMax = 20_000
export const unkeptNamedMax = 20
export const aliveEveryMs = 1000
/** A worker waits so long at most for a host that does not say that a sandbox has ended. It opens none on a host that wants more. */
export const leaseMsMax = 300_000
/** How long the other side may be silent where it has something to say. */
export const silentMs = 10_000
/** How long it may take to apply what was sent, or to open a sandbox on a busy machine. */
export const patienceMs = 60_000

/** What a folder can have: what a workspace may have, and what one command may write. */
export const carriedBytesMax = (sandboxBytesMax: number): number => sandboxBytesMax + usualLimits.diskBytesMax
