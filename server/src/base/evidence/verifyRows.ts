// Checks a file of rows against the file beside it, and finds the first row that does not fit.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { contentAt, type Entry } from './archive.ts'
import type { BundleBytes, Row } from './bundleBytes.ts'
import { readObject } from './boundedObject.ts'
import { digestOf, linkAfter, sumLine, sumLineBytes, zeroLink } from './links.ts'

/** The first row that does not fit, and in which of the two files the mistake is. */
interface RowFault {
  row: number
  /** Unclear if the two differ and each is in order by itself. */
  isIn: 'rows' | 'sums' | 'unclear'
  what: string
}

export interface CheckedRows {
  rows: number
  sha256: string
  crc: number
  fault: RowFault | undefined
}

/** `sums` is the entry of the file beside it. */
export async function verifyRows(bytes: BundleBytes, file: Entry, sums: Entry): Promise<CheckedRows> {
  const sha256 = createHash('sha256')
  let crc = 0
  const rows = bytes.rows(contentAt(file), file.bytes, (piece) => {
    sha256.update(piece)
    crc = crc32(piece, crc)
  })
  const lines = bytes.parts(contentAt(sums), sums.bytes, sumLineBytes)
  let link = zeroLink
  let count = 0
  let fault: RowFault | undefined
  for await (const row of rows) {
    count += 1
    if (fault) continue
    const digest = row.bytes && digestOf(row.bytes)
    if (digest) link = linkAfter(link, digest)
    const line = await lines.next()
    const found = faultOf(row, digest, link, line.done ? undefined : line.value)
    if (found) fault = { row: count, ...found }
  }
  if (!fault && !(await lines.next()).done) fault = { row: count + 1, isIn: 'unclear', what: 'It is missing.' }
  await lines.return(undefined)
  return { rows: count, sha256: sha256.digest('hex'), crc, fault }
}

const hexPair = /^[0-9a-f]{64} [0-9a-f]{64}\n$/

function faultOf(
  { bytes, isEnded }: Row,
  digest: Buffer | undefined,
  link: Buffer,
  line: Buffer | undefined,
): Omit<RowFault, 'row'> | undefined {
  if (!bytes || !digest) return { isIn: 'rows', what: 'It is longer than a row may be.' }
  if (!line) return { isIn: 'unclear', what: 'It was added: there is no digest of it.' }
  const text = line.toString('latin1')
  if (text !== sumLine(digest, link)) {
    if (!hexPair.test(text)) return { isIn: 'sums', what: 'It is not a digest and a link.' }
    // the links up to here fit: so a link that fits belongs to this digest, and a digest that fits to this link
    const hasDigest = text.startsWith(digest.toString('hex'))
    const hasLink = text.endsWith(`${link.toString('hex')}\n`)
    if (hasDigest || hasLink)
      return { isIn: 'sums', what: `Its ${hasDigest ? 'link' : 'digest'} is not that of the row.` }
    return { isIn: 'unclear', what: 'It was changed, moved, added or left out: its digest is another.' }
  }
  if (!isEnded) return { isIn: 'rows', what: 'It does not end with a line break.' }
  return readObject(bytes) ? undefined : { isIn: 'rows', what: 'It is not one JSON object.' }
}
