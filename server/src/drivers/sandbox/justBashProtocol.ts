// What the service and a just-bash child say to each other, a line of JSON each; bytes travel as base64.
import type { Command, ShellFolders } from './sandbox.ts'

export type ToChild =
  | { exec: Pick<Command, 'language' | 'code' | 'env' | 'outputBytesMax'> }
  | { fetched: { id: number; answer: FetchAnswer } }

/** Every message of the child by its name; a line holds exactly one of them. */
export interface ChildMessages {
  ready: true
  executed: { exit_code: number; stdout: string; stderr: string; truncated: boolean }
  fetch: { id: number } & FetchWanted
}

export interface FetchWanted {
  url: string
  method: string
  headers: Record<string, string>
  body: string | null
}

export type FetchAnswer =
  | { status: number; headers: Record<string, string>; body: string }
  /** A sentence for whoever wanted it. */
  | { refused: string }

/** What the child is started with, as its one argument. */
export interface ChildSettings extends ShellFolders {
  hasNetwork: boolean
  memoryBytesMax: number
  fileBytesMax: number
}

export const fetchBytesMax = 10 * 1024 * 1024
/** Room for a body of that size as base64, with its headers. */
export const fetchLineBytesMax = 16 * 1024 * 1024
/** just-bash ends a command that writes more: it holds all output until the end. */
export const outputBytesHeldMax = 32 * 1024 * 1024
