// A command as the browser keeps it.

export interface Command {
  id: string
  command: string
  timeoutS: number
  at: string
  result?: CommandResult
  /** Why there is no result. */
  failure?: string
}

export interface CommandResult {
  exit_code: number
  stdout: string
  stderr: string
  truncated: boolean
  duration_ms: number
}

/** What is kept may be of an older page: what does not look like a list of commands is left out. */
export function readCommands(kept: string | null): Command[] {
  try {
    const found: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(found) ? found.filter(isCommand) : []
  } catch {
    return []
  }
}

function isCommand(value: unknown): value is Command {
  const { id, command, timeoutS, at, result, failure } = (value ?? {}) as Partial<Record<string, unknown>>
  return (
    [id, command, at].every((one) => typeof one === 'string') &&
    typeof timeoutS === 'number' &&
    (failure === undefined || typeof failure === 'string') &&
    (result === undefined || isResult(result))
  )
}

function isResult(value: unknown): value is CommandResult {
  const { exit_code, stdout, stderr, duration_ms } = (value ?? {}) as Partial<Record<string, unknown>>
  return (
    [exit_code, duration_ms].every((one) => typeof one === 'number') &&
    [stdout, stderr].every((one) => typeof one === 'string')
  )
}

/** The command that was run `steps` before, for the arrow keys; none: an empty field. */
export function earlier(commands: Command[], steps: number): string {
  return steps <= 0 ? '' : (commands.at(-Math.min(steps, commands.length))?.command ?? '')
}
