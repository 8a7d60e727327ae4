// Where the entries of a bundle lie: as its manifest says, or, where that does not fit the file, as its own list says.
import {
  archiveBounds,
  centralBytes,
  centralRecordBytes,
  endBytes,
  entryBytes,
  readCentral,
  type Entry,
} from './archive.ts'
import type { BundleBytes } from './bundleBytes.ts'
import type { BundleTail } from './bundleTail.ts'
import { firstWrongPath, manifestPath, signatureFileBytes, signaturePath, type Manifest } from './manifest.ts'
import type { Problems } from './problems.ts'

/** One entry behind the other, without a gap: so no two can overlap. */
export interface Layout {
  /** In the order of the archive; the last two are the manifest and its signature. */
  entries: Entry[]
  listAt: number
}

/** Undefined if the entries cannot be found; then the problem is listed. */
export async function findLayout(
  bytes: BundleBytes,
  tail: BundleTail,
  problems: Problems,
): Promise<Layout | undefined> {
  const told = tail.manifest && layoutOf(tail.manifest, tail.manifestBytes)
  if (told && isWhole(told, bytes, tail)) return told
  const listed = await readList(bytes, tail)
  if ('entries' in listed) return listed
  problems.add(listed.where, listed.what)
  return undefined
}

function layoutOf({ files }: Manifest, manifestBytes: number): Layout {
  const all = [
    ...files,
    { path: manifestPath, bytes: manifestBytes },
    { path: signaturePath, bytes: signatureFileBytes },
  ]
  let at = 0
  const entries = all.map(({ path, bytes }) => {
    const entry = { path, at, bytes }
    at += entryBytes(path, bytes)
    return entry
  })
  return { entries, listAt: at }
}

function isWhole({ entries, listAt }: Layout, bytes: BundleBytes, tail: BundleTail): boolean {
  const listBytes = entries.reduce((sum, { path }) => sum + centralRecordBytes(path), 0)
  return listAt === tail.listAt && listAt + listBytes + endBytes === bytes.size
}

async function readList(bytes: BundleBytes, { listAt }: BundleTail): Promise<Layout | { where: string; what: string }> {
  const entries: Entry[] = []
  const end = bytes.size - endBytes
  let at = 0
  for (let from = listAt; from < end;) {
    const where = `central record ${entries.length + 1}`
    const record = readCentral(await bytes.read(from, Math.min(centralBytes, end - from)))
    const nameAt = from + centralBytes
    if (!record || nameAt + record.nameBytes > end || entries.length === archiveBounds.entriesMax)
      return { where, what: 'It is not a record of the list of entries.' }
    if (record.nameBytes > nameBytesMax) return { where, what: 'Its name is too long.' }
    const path = (await bytes.read(nameAt, record.nameBytes)).toString()
    entries.push({ path, at, bytes: record.bytes })
    at += entryBytes(path, record.bytes)
    if (record.at !== entries.at(-1)?.at || at > listAt)
      return { where, what: 'Its entry does not lie behind the one before it.' }
    from = nameAt + record.nameBytes
  }
  const [manifest, signature] = entries.slice(-2)
  if (manifest?.path !== manifestPath || signature?.path !== signaturePath || at !== listAt)
    return { where: 'end record', what: 'The list of entries does not end with the manifest and its signature.' }
  const wrongPath = firstWrongPath(entries.slice(0, -2).map(({ path }) => path))
  return wrongPath === undefined ? { entries, listAt } : { where: 'central records', what: wrongPath }
}

/** A plain path is not longer. */
const nameBytesMax = 512
