// What is known of a bundle when its seals are checked, and the rows of its files.
import { contentAt, type Entry } from './archive.ts'
import type { BundleBytes, Row } from './bundleBytes.ts'
import type { Manifest } from './manifest.ts'
import type { Problems } from './problems.ts'

export interface Contents {
  bytes: BundleBytes
  entries: Map<string, Entry>
  /** How many rows each file of them has. */
  rows: Map<string, number>
  sha256: Map<string, string>
  problems: Problems
  /** What fits, and is still to be asked about. */
  remarks: Problems
  /** The keys that may sign; undefined: any. */
  keys: Buffer[] | undefined
  /** Gets the id of every key that signed a seal. */
  signers: Set<string>
}

export type RunInManifest = Manifest['runs'][number]

export type Section = 'events' | 'steps' | 'messages'

export async function* rowsOf({ bytes, entries }: Contents, path: string): AsyncGenerator<Row> {
  const entry = entries.get(path)
  if (entry) yield* bytes.rows(contentAt(entry), entry.bytes)
}
