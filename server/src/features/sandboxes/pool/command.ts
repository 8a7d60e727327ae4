// A command as callers and tools ask for it, and the result that they get.
import type { CommandOutcome } from './openSandbox.ts'

export const timeoutUnsetS = 60
export const timeoutMaxS = 600
/** How much of stdout and of stderr is returned, each. */
export const outputBytesMax = 512 * 1024

export interface CommandResult {
  exit_code: number
  stdout: string
  stderr: string
  truncated: boolean
  duration_ms: number
}

const namedMax = 20

/** What could not be saved is named in stderr, where a person would look for it. */
export function commandResult({ executed, unkept }: CommandOutcome): CommandResult {
  const { exit_code, stdout, stderr, truncated, duration_ms } = executed
  if (unkept.length === 0) return { exit_code, stdout, stderr, truncated, duration_ms }
  const names = unkept.slice(0, namedMax).map((path) => JSON.stringify(path))
  const more = unkept.length > namedMax ? ` and ${unkept.length - namedMax} more` : ''
  const note = `A workspace keeps files, folders and links with plain names; removed: ${names.join(', ')}${more}.\n`
  return { exit_code, stdout, stderr: stderr + note, truncated, duration_ms }
}
