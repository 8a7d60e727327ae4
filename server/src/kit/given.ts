// What a build gives its runs besides connections: secrets, logins, skills and files of the team, each kept by a feature of its own.
import type { Sql } from '../base/db.ts'
import type { Credentials } from '../drivers/browser/browser.ts'
import type { Context } from './context.ts'
import type { CallingRun } from './tool.ts'

/** The keys of `data` in a config. Each holds a list of names or ids. */
export const givenKinds = ['secrets', 'logins', 'skills', 'files'] as const
export type GivenKind = (typeof givenKinds)[number]
export type Given = Record<GivenKind, string[]>

/** A run with what its build gives it. */
export interface GivenTo {
  context: Context
  run: CallingRun
  given: Given
}

/** How a feature keeps what builds name. */
export interface NamedInBuilds {
  kind: GivenKind
  /** What one of them is called in a sentence. */
  noun: string
  /** The ids and names of those that the team has among these. */
  find: (asked: { sql: Sql; teamId: string; wanted: string[] }) => Promise<{ id: string; name: string }[]>
}

/** How runs use secrets. Throws an Error with a sentence for the run where a secret is missing or not for this run. */
export interface SecretUse {
  /** The variables for the environment of a command. */
  variables: (asked: GivenTo) => Promise<Record<string, string>>
  /** The arguments of a call with the values in place of their marks (base/secretMark.ts). */
  putIn: (asked: GivenTo & { input: unknown }) => Promise<unknown>
  /** The variables of each set, for a check of what a procedure names. */
  keys: (asked: { sql: Sql; teamId: string; wanted: string[] }) => Promise<{ name: string; env_var_keys: string[] }[]>
}

/** How runs use logins. */
export interface LoginUse {
  /** The logins that the run may use, without anything that is hidden. */
  list: (asked: GivenTo) => Promise<{ id: string; domain: string }[]>
  /** The one for this page; `login` is its id, or its domain. Throws an Error with a sentence where there is none. */
  find: (asked: GivenTo & { pageUrl: string; login: string | undefined }) => Promise<Credentials>
}

/** A file that is laid read-only into the sandbox of a run. */
export interface LaidFile {
  /** Absolute, in a folder beside /workspace. */
  path: string
  sha256: string
  size_bytes: number
  is_executable: boolean
}
