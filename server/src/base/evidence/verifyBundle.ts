// Checks a bundle that anybody may have written or changed, offline and in bounded memory, and says the first row that does not fit.
import { open, type FileHandle } from 'node:fs/promises'
import { archiveBounds, type Entry } from './archive.ts'
import { BundleBytes, BundleUnreadable } from './bundleBytes.ts'
import { readTail } from './bundleTail.ts'
import type { Contents } from './contents.ts'
import { keyIdOf } from './keys.ts'
import { findLayout, type Layout } from './layout.ts'
import { manifestPath, rowsEnding, type BundleSubject, type Manifest } from './manifest.ts'
import { Problems, type Problem } from './problems.ts'
import { verifyEntries } from './verifyEntries.ts'
import { verifySeals, type SealedRun } from './verifySeals.ts'

export interface Verdict {
  isTrue: boolean
  /** The first names the first row that does not fit. Of many, the first 100. */
  problems: Problem[]
  problemsCount: number
  /** What fits, and is still to be asked about: such as what no signed seal holds. Of many, the first 100. */
  remarks: Problem[]
  remarksCount: number
  subject: BundleSubject | null
  madeAt: string | null
  /** The key that signed the manifest, as the manifest names it. */
  keyId: string | null
  /** Whether that is one of the given keys; null if none was given. */
  isGivenKey: boolean | null
  /** The keys that signed seals. */
  sealKeyIds: string[]
  runs: SealedRun[]
  /** How many rows there are of each kind, such as events. */
  rows: Record<string, number>
  files: number
  bytes: number
}

interface Options {
  /** Public keys of 32 bytes: everything must be signed with one of them. */
  keys?: Buffer[]
  signal?: AbortSignal
}

export async function verifyBundle(source: string | FileHandle, options: Options = {}): Promise<Verdict> {
  if (typeof source !== 'string') return verifyFile(source, options)
  const file = await open(source)
  try {
    return await verifyFile(file, options)
  } finally {
    await file.close()
  }
}

const nothing = {
  subject: null,
  madeAt: null,
  keyId: null,
  isGivenKey: null,
  sealKeyIds: [],
  runs: [],
  rows: {},
  files: 0,
} satisfies Partial<Verdict>

async function verifyFile(file: FileHandle, options: Options): Promise<Verdict> {
  const problems = new Problems()
  const remarks = new Problems()
  const { size } = await file.stat()
  const found: Partial<Verdict> = {}
  try {
    if (size > archiveBounds.bytesMax) problems.add('end record', 'A bundle has less than 4 GiB.')
    else await verifyBytes(new BundleBytes(file, size, options.signal), options, { problems, remarks }, found)
  } catch (error) {
    if (!(error instanceof BundleUnreadable)) throw error
    problems.add('end record', error.message)
  }
  const { listed, count } = problems
  return {
    ...nothing,
    ...found,
    bytes: size,
    isTrue: count === 0,
    problems: listed,
    problemsCount: count,
    remarks: remarks.listed,
    remarksCount: remarks.count,
  }
}

async function verifyBytes(
  bytes: BundleBytes,
  { keys }: Options,
  { problems, remarks }: { problems: Problems; remarks: Problems },
  found: Partial<Verdict>,
): Promise<void> {
  const tail = await readTail(bytes, problems)
  if (!tail) return
  const { manifest } = tail
  if (manifest) noteManifest(manifest, keys, problems, found)
  const layout = await findLayout(bytes, tail, problems)
  if (!layout) return
  const entries = new Map(layout.entries.map((entry) => [entry.path, entry]))
  found.files = layout.entries.length
  // what nobody signed says nothing about the files
  const signed = tail.isSigned ? manifest : undefined
  if (signed) compareLists(signed, layout, entries, problems)
  const { rows, sha256 } = await verifyEntries(bytes, layout, signed?.files, problems)
  found.rows = rowsByName(rows)
  if (!manifest) return
  requireRuns(manifest, problems)
  const signers = new Set<string>()
  const contents: Contents = { bytes, entries, rows, sha256, problems, remarks, keys, signers }
  found.runs = []
  for (const run of manifest.runs) {
    requireErased(run, entries, problems)
    found.runs.push(await verifySeals(run, contents))
  }
  found.sealKeyIds = [...signers]
}

/** How many rows the files of each name have, such as events. */
function rowsByName(rows: Map<string, number>): Record<string, number> {
  const counts = new Map<string, number>()
  for (const [path, count] of rows) {
    const name = path.slice(path.lastIndexOf('/') + 1, -rowsEnding.length)
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return Object.fromEntries(counts)
}

function noteManifest(
  manifest: Manifest,
  keys: Buffer[] | undefined,
  problems: Problems,
  found: Partial<Verdict>,
): void {
  const { publicKey, subject, madeAt } = manifest
  const keyId = keyIdOf(publicKey)
  const isGivenKey = keys ? keys.some((key) => key.equals(publicKey)) : null
  Object.assign(found, { subject, madeAt, keyId, isGivenKey })
  if (isGivenKey === false)
    problems.add(manifestPath, `It is signed with the key ${keyId}, which is not the given one.`)
}

/** Every file of the manifest must be there, in its order, and no other. */
function compareLists({ files }: Manifest, layout: Layout, entries: Map<string, Entry>, problems: Problems): void {
  const there = layout.entries.slice(0, -2)
  const listed = new Set(files.map(({ path }) => path))
  const before = problems.count
  for (const { path } of files) if (!entries.has(path)) problems.add(path, 'It is missing: the manifest has it.')
  for (const { path } of there)
    if (!listed.has(path)) problems.add(path, 'It was added: the manifest does not have it.')
  const moved = files.find(({ path }, index) => there[index]?.path !== path)
  if (moved && problems.count === before) problems.add(moved.path, 'It does not stand where the manifest has it.')
}

/** A file of a run that the manifest does not name would be checked by no seal. */
function requireRuns({ runs, files }: Manifest, problems: Problems): void {
  const folders = new Set(runs.map(({ folder }) => folder))
  for (const { path } of files) {
    const folder = /^runs\/[^/]*\//.exec(path)?.[0]
    if (path.startsWith('runs/') && !folders.has(folder ?? ''))
      problems.add(path, 'It belongs to no run of the manifest.')
  }
}

function requireErased(run: Manifest['runs'][number], entries: Map<string, Entry>, problems: Problems): void {
  for (const section of run.erased) {
    const path = `${run.folder}${section}${rowsEnding}`
    if ((entries.get(path)?.bytes ?? 0) > 0)
      problems.add(path, 'It has rows, and the manifest says that they were erased.')
  }
}
