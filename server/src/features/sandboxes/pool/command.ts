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
export function commandResult({ executed, unkept, withheld }: CommandOutcome): CommandResult {
  const { exit_code, stdout, stderr, truncated, duration_ms } = executed
  const notes = [
    note('A workspace keeps files, folders and links with plain names; removed', unkept),
    note('A workspace keeps no secrets; removed, since it holds one', withheld),
  ]
  return { exit_code, stdout, stderr: stderr + notes.join(''), truncated, duration_ms }
}

function note(why: string, paths: string[]): string {
  if (paths.length === 0) return ''
  const names = paths.slice(0, namedMax).map((path) => JSON.stringify(path))
  const more = paths.length > namedMax ? ` and ${paths.length - namedMax} more` : ''
  return `${why}: ${names.join(', ')}${more}.\n`
}
