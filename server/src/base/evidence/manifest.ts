// The manifest of a bundle: what it is about, who signed it, and the SHA-256 of every file in it.
import { isRecord } from '../isRecord.ts'
import { foldersOf, plainPath } from '../plainPath.ts'
import { archiveBounds } from './archive.ts'
import { readObject } from './boundedObject.ts'
import { keyIdOf, publicKeyFrom } from './keys.ts'

const bundleFormat = 'runyard-evidence-1'
export const manifestPath = 'manifest.json'
export const signaturePath = 'manifest.sig'
/** Base64 of 64 bytes, and a line break. */
export const signatureFileBytes = 89
/** More than the paths of all entries that an archive can have. */
export const manifestBytesMax = 64 * 1024 * 1024
/** A row is held in memory while it is checked. */
export const rowBytesMax = 64 * 1024 * 1024

export const rowsEnding = '.jsonl'
export const sumsEnding = '.sha256'

export interface BundleSubject {
  kind: 'run' | 'case'
  id: string
}

export interface RunInBundle {
  id: string
  /** Sections whose rows are gone; their links in the seals are left. */
  erased: string[]
}

export interface ListedFile {
  path: string
  bytes: number
  sha256: string
}

export interface Manifest {
  madeAt: string
  subject: BundleSubject
  publicKey: Buffer
  runs: (RunInBundle & { folder: string })[]
  files: ListedFile[]
}

interface Written {
  madeAt: Date
  subject: BundleSubject
  publicKey: Buffer
  runs: RunInBundle[]
  files: ListedFile[]
}

export const folderOf = (runId: string): string => `runs/${runId}/`

export const manifestText = ({ madeAt, subject, publicKey, runs, files }: Written): string =>
  JSON.stringify({
    format: bundleFormat,
    made_at: madeAt.toISOString(),
    subject,
    key_id: keyIdOf(publicKey),
    public_key: publicKey.toString('base64'),
    runs: runs.map(({ id, erased }) => ({ id, folder: folderOf(id), erased })),
    files,
  })

/** The manifest, or a sentence that says why it is not one. */
export function readManifest(text: Buffer): Manifest | string {
  const value = readObject(text)
  if (!value) return 'It is not a JSON object that can be read.'
  if (value['format'] !== bundleFormat) return `Its format is not ${bundleFormat}, the only one that is known here.`
  const { made_at: madeAt, subject, runs, files } = value
  if (typeof madeAt !== 'string' || !isTime(madeAt)) return 'It does not say when it was made.'
  if (!isSubject(subject)) return 'It does not say which run or case it is about.'
  const publicKey = publicKeyFrom(value['public_key'])
  if (!publicKey || value['key_id'] !== keyIdOf(publicKey)) return 'Its key is not one, or has another id.'
  if (!Array.isArray(runs) || !runs.every(isRun)) return 'Its list of runs cannot be read.'
  if (new Set(runs.map(({ id }) => id)).size !== runs.length) return 'It names a run twice.'
  if (!Array.isArray(files) || !files.every(isFile)) return 'Its list of files cannot be read.'
  const wrongPath = firstWrongPath(files.map(({ path }) => path))
  return wrongPath ?? { madeAt, subject, publicKey, runs, files }
}

const idMax = 200

export const isTime = (text: string): boolean => text.length <= 40 && !Number.isNaN(Date.parse(text))

const isId = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= idMax

const isSubject = (value: unknown): value is BundleSubject =>
  isRecord(value) && (value['kind'] === 'run' || value['kind'] === 'case') && isId(value['id'])

const isRun = (value: unknown): value is Manifest['runs'][number] =>
  isRecord(value) &&
  isId(value['id']) &&
  !value['id'].includes('/') &&
  value['folder'] === folderOf(value['id']) &&
  Array.isArray(value['erased']) &&
  value['erased'].length <= 20 &&
  value['erased'].every(isId)

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

export const isSha256 = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

const isFile = (value: unknown): value is ListedFile =>
  isRecord(value) &&
  typeof value['path'] === 'string' &&
  isCount(value['bytes']) &&
  value['bytes'] <= archiveBounds.bytesMax &&
  isSha256(value['sha256'])

/** A sentence about the first path that no bundle has: one that leads elsewhere, that is there twice, or that lies in what is a file too. */
export function firstWrongPath(paths: string[]): string | undefined {
  // names that differ only in case are one name on some disks
  const seen = new Set([manifestPath, signaturePath])
  for (const path of paths) {
    const checked = plainPath(path)
    if ('problem' in checked) return `It names a file ${quoted(path)}. ${checked.problem}`
    if (checked.path !== path) return `It names a file ${quoted(path)}, which is not in its usual spelling.`
    const key = path.toLowerCase()
    if (seen.has(key)) return `It names the file ${quoted(path)} twice.`
    seen.add(key)
  }
  const inside = paths.find((path) => foldersOf(path.toLowerCase()).some((folder) => seen.has(folder)))
  return inside === undefined ? undefined : `The file ${quoted(inside)} lies in what is a file too.`
}

const quoted = (path: string): string => JSON.stringify(path.slice(0, 80))
