// What the service asks of a sandbox for foreign code: a shell on one folder of the host that reaches nothing else.

/** The drivers that run commands on the machine of their process. */
export type LocalDriverName = 'just_bash' | 'bubblewrap'

export interface SandboxDriver {
  name: LocalDriverName | 'remote'
  /** One sentence for people: how strong this isolation is, and what it does not protect from. */
  strength: string
  /** The user who must own the files of a folder, so that commands can change them; undefined: the user of the service. */
  owner: { uid: number; gid: number } | undefined
  /**
   * A shell whose /workspace is this folder of the host: absolute, made by the caller, on a local disk, its files linked
   * from nowhere else (a command may change them in place). Waits while too many are open.
   */
  open(wanted: ShellFolders & { signal: AbortSignal }): Promise<Shell>
  /** Ends every shell at once. */
  close(): Promise<void>
}

export interface ShellFolders {
  folder: string
  /** A folder of the host whose own folders are beside /workspace, under their names: commands read them and change nothing in them. */
  laid?: string | undefined
}

/** Each command starts in a new shell: only the files in /workspace stay, and processes that it left running are gone when exec answers. */
export interface Shell {
  /** One at a time. After a command that was cut off, or a shell that died, the next one starts a new shell. */
  exec(wanted: Command): Promise<Executed>
  /** Ends whatever runs in it, its whole tree; resolves when nothing of it lives. */
  close(): Promise<void>
}

export interface Command {
  language: 'bash' | 'python' | 'js'
  code: string
  /** Variables of its environment, besides those that every command has. */
  env?: Readonly<Record<string, string>>
  timeoutMs: number
  /**
   * How many bytes of stdout, and how many of stderr, are returned: at most 4 MiB each. The rest is thrown away while the
   * command continues, and `truncated` is true. just-bash shows no output of a command that was cut off, and ends one that
   * writes more than 32 MiB.
   */
  outputBytesMax: number
  /** Asked while it runs. Once it is true, the command gets only processor time that nobody else wants. Left out: never. */
  isToYield?: () => boolean
  /** Cuts the command off: then exec rejects with the signal's reason, once its processes are gone. */
  signal: AbortSignal
}

/** A command ended and left more than its driver can bring back; exec rejects with it. */
export class LeftTooMuch extends Error {
  /** A sentence that says what is too much. */
  constructor(says: string) {
    super(`${says} Nothing that it wrote is saved. Remove some before it ends, or pack them into an archive.`)
  }
}

export interface Executed {
  /** 124 for a timeout, 137 for anything else that was cut off, as shells do. */
  exit_code: number
  stdout: string
  /** For a command that was cut off, it ends with a sentence that says why. */
  stderr: string
  truncated: boolean
  duration_ms: number
  /** Why it did not end by itself; null: it did. */
  cut_off: 'timeout' | 'memory' | 'died' | null
}

export interface CommandLimits {
  /** The memory of all processes of a command together. */
  memoryBytesMax: number
  processesMax: number
  /** The size of one file. */
  fileBytesMax: number
  /** How much of the disk a command may use up. */
  diskBytesMax: number
}

const mebibyte = 1024 * 1024

export const outputBytesAllowed = 4 * mebibyte

export const usualLimits: CommandLimits = {
  memoryBytesMax: 512 * mebibyte,
  processesMax: 64,
  fileBytesMax: 1024 * mebibyte,
  diskBytesMax: 2048 * mebibyte,
}
