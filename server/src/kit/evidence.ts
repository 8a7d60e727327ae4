// What features add to the evidence bundle of a run: files of rows, or files as they are.
import type { Sql } from '../base/db.ts'
import type { Context } from './context.ts'
import type { Scope } from './scopes.ts'

/** A file of a bundle: rows, each one line of JSON, or bytes. */
export type EvidenceFile =
  | { path: string; rows: AsyncIterable<string> }
  | { path: string; bytes: Buffer | AsyncIterable<Buffer> }

interface AskedEvidence {
  sql: Sql
  context: Context
  teamId: string
  runId: string
  /** The contents of files too, and not only their hashes. */
  isWithContents: boolean
}

/** One part of a bundle, for callers with its scope. */
export interface EvidencePart {
  name: string
  scope: Scope
  /** Paths are below the folder of the run. */
  files: (asked: AskedEvidence) => AsyncIterable<EvidenceFile>
}

/** Rows that one statement gives whole, since there are few of them. */
export async function* rowsAsLines(rows: Promise<{ line: string }[]>): AsyncGenerator<string> {
  for (const { line } of await rows) yield line
}

/** A value as a file that people read. */
export const jsonFile = (path: string, value: unknown): EvidenceFile => ({
  path,
  bytes: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
})
