// A small evidence bundle with everything that the format has, made by the writer itself, and what each of its bytes belongs to.
import { generateKeyPairSync, sign } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import {
  centralRecord,
  centralRecordBytes,
  contentAt,
  descriptor,
  endBytes,
  endRecord,
  entryBytes,
  localHeader,
  type Entry,
} from '../../src/base/evidence/archive.ts'
import { keyIdOf, rawKeyOf, type BundleKey } from '../../src/base/evidence/keys.ts'
import { digestOf, linkAfter, linkOver, sumLine, zeroLink } from '../../src/base/evidence/links.ts'
import { folderOf, manifestText, type Manifest } from '../../src/base/evidence/manifest.ts'
import { writeBundle, type BundleFile } from '../../src/base/evidence/writeBundle.ts'
import { mustHave } from '../../src/base/mustHave.ts'

export function newBundleKey(): BundleKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { publicKey: mustHave(rawKeyOf(publicKey), 'the key'), sign: (bytes) => sign(null, bytes, privateKey) }
}

const linkOfRows = (rows: string[]): Buffer => linkOver(zeroLink, Buffer.concat(rows.map(digestOf)))

const linked = (rows: string[]) => ({ rows: rows.length, link: linkOfRows(rows).toString('hex') })

interface Log {
  events: string[]
  steps: string[]
  /** Those that are cut in their events. */
  cut: string[]
}

interface SealedSoFar {
  before: string | null
  number: number
}

/** A row of seals.jsonl over these rows, and what the next one needs to know of it. */
function sealRow(
  runId: string,
  config: string,
  { events, steps, cut }: Log,
  { before, number }: SealedSoFar,
  signer: { key: BundleKey; lateMs: number } | null,
): { row: string; next: SealedSoFar } {
  const seal = JSON.stringify({
    format: 'runyard-seal-1',
    team_id: 'team',
    run_id: runId,
    agent_id: 'agent',
    build_id: 'build',
    config_sha256: digestOf(config).toString('hex'),
    source: 'api',
    user_id: null,
    case_id: null,
    parent_run_id: null,
    created_at: '2026-01-02T03:04:05.006Z',
    number,
    events: { last: events.length, ...linked(events) },
    steps: linked(steps),
    messages: linked(cut),
    before,
  })
  const head = digestOf(seal).toString('hex')
  const row = JSON.stringify({ seal, signature: signer && signatureOver([zeroLink.toString('hex'), head], signer) })
  return { row, next: { before: head, number: number + 1 } }
}

function signatureOver(heads: string[], { key, lateMs }: { key: BundleKey; lateMs: number }): object {
  const said = { format: 'runyard-signature-1', id: 'one', team_id: 'team', key_id: keyIdOf(key.publicKey) }
  const text = JSON.stringify({ ...said, at: new Date(firstEventAt + lateMs).toISOString(), heads })
  const signature = key.sign(Buffer.from(text)).toString('base64')
  return { text, signature, public_key: key.publicKey.toString('base64') }
}

const firstEventAt = 1_767_323_045_006

const eventRow = (id: number, isCut: boolean): string =>
  JSON.stringify({
    id: `batch-${id}`,
    last: id,
    at: firstEventAt + id,
    kinds: 'M',
    events: [
      { ok: true, name: 'Prüfung' },
      { message: { seq: id, text_content: shortText(id), ...(isCut && { truncated: true }) } },
    ],
  })

const stepRow = (seq: number): string => JSON.stringify({ seq, kind: 'tool', tool: 'http', result: { n: seq * 1.5 } })

/** An event has the beginning of every third one. */
const messageRow = (seq: number): string =>
  JSON.stringify({ seq, type: 'text', text_content: shortText(seq) + (seq % 3 === 0 ? ' lang'.repeat(seq) : '') })

const shortText = (seq: number): string => `Nachricht ${seq} “…”`

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

const asFile = (path: string, value: unknown): BundleFile => ({ path, bytes: Buffer.from(JSON.stringify(value)) })

/** A run that ended, continued and ended again: two seals, and a row after the last. */
function wholeRun(id: string, keys: [BundleKey, BundleKey], lateMs: number): BundleFile[] {
  const folder = folderOf(id)
  const config = '{"version": "v2"}'
  const events = numbers(7).map((n) => eventRow(n, n % 3 === 0))
  const steps = numbers(5).map(stepRow)
  const messages = numbers(7).map(messageRow)
  const cut = [messages[2]!, messages[5]!]
  const log = { events: events.slice(0, 4), steps: steps.slice(0, 3), cut: cut.slice(0, 1) }
  const first = sealRow(id, config, log, { before: null, number: 1 }, { key: keys[0], lateMs })
  const second = sealRow(id, config, { events: events.slice(0, 6), steps, cut }, first.next, { key: keys[1], lateMs })
  const content = Buffer.from([0, 1, 2, 250, 10, 13])
  const sha256 = digestOf(content).toString('hex')
  return [
    asFile(`${folder}run.json`, { id, status: 'completed' }),
    asFile(`${folder}build.json`, { revision_number: 3 }),
    { path: `${folder}config.json`, bytes: Buffer.from(config) },
    { path: `${folder}events.jsonl`, rows: events },
    { path: `${folder}steps.jsonl`, rows: steps },
    { path: `${folder}messages.jsonl`, rows: messages },
    { path: `${folder}seals.jsonl`, rows: [first.row, second.row] },
    { path: `${folder}requests.jsonl`, rows: [] },
    { path: `${folder}files.jsonl`, rows: [JSON.stringify({ path: 'out.bin', sha256, bytes: content.length })] },
    { path: `${folder}files/${sha256}`, bytes: content },
  ]
}

/** A run whose events and messages were erased, with a seal that nobody signed yet. */
function erasedRun(id: string): BundleFile[] {
  const folder = folderOf(id)
  const steps = numbers(2).map(stepRow)
  const log = { events: [eventRow(1, true)], steps, cut: [messageRow(1)] }
  return [
    asFile(`${folder}run.json`, { id, status: 'failed' }),
    { path: `${folder}events.jsonl`, rows: [] },
    { path: `${folder}steps.jsonl`, rows: steps },
    { path: `${folder}seals.jsonl`, rows: [sealRow(id, '{}', log, { before: null, number: 1 }, null).row] },
  ]
}

export interface SampleBundle {
  bytes: Buffer
  key: BundleKey
  /** The key before it, which signed one of the seals. */
  oldKey: BundleKey
}

const sampleRuns = [
  { id: 'run-a', erased: [] },
  { id: 'run-b', erased: ['events', 'messages'] },
]

/** `lateMs`: how long after the events the seals were signed. */
export async function sampleBundle(lateMs = 1000): Promise<SampleBundle> {
  const key = newBundleKey()
  const oldKey = newBundleKey()
  const files: BundleFile[] = [
    { path: 'report.html', bytes: Buffer.from('<!doctype html><title>Übersicht</title>') },
    asFile('Größe.json', {}),
    ...wholeRun('run-a', [oldKey, key], lateMs),
    ...erasedRun('run-b'),
  ]
  const pieces = writeBundle({
    files,
    subject: { kind: 'case', id: 'case-1' },
    runs: () => sampleRuns,
    key,
    madeAt: new Date(0),
  })
  return { bytes: await buffer(pieces), key, oldKey }
}

/** The files of a bundle that is known to be whole, in their order, the manifest and its signature too. */
export function filesIn(bundle: Buffer): Map<string, Buffer> {
  return new Map(entriesIn(bundle).map((entry) => [entry.path, contentOf(bundle, entry)]))
}

const contentOf = (bundle: Buffer, entry: Entry): Buffer =>
  bundle.subarray(contentAt(entry), contentAt(entry) + entry.bytes)

export function entriesIn(bundle: Buffer): Entry[] {
  const entries: Entry[] = []
  const end = bundle.length - endBytes
  for (let from = bundle.readUInt32LE(end + 16); from < end;) {
    const path = bundle.toString('utf8', from + 46, from + 46 + bundle.readUInt16LE(from + 28))
    entries.push({ path, at: bundle.readUInt32LE(from + 42), bytes: bundle.readUInt32LE(from + 24) })
    from += centralRecordBytes(path)
  }
  return entries
}

/** An archive of these files, as a bundle has them, with whatever manifest is among them. */
export function archiveOf(files: Map<string, Buffer>): Buffer {
  const parts: Buffer[] = []
  const records: Buffer[] = []
  let at = 0
  for (const [path, content] of files) {
    const crc = crc32(content)
    parts.push(localHeader(path), content, descriptor(crc, content.length))
    records.push(centralRecord({ path, at, bytes: content.length }, crc))
    at += entryBytes(path, content.length)
  }
  const list = Buffer.concat(records)
  return Buffer.concat([...parts, list, endRecord(files.size, list.length, at)])
}

/** The lines beside rows, made again. */
export function sumsOf(rows: string[]): Buffer {
  let link = zeroLink
  const lines = rows.map((row) => {
    const digest = digestOf(row)
    link = linkAfter(link, digest)
    return sumLine(digest, link)
  })
  return Buffer.from(lines.join(''))
}

/** What the byte at this position belongs to, as the verification names it. */
export function partAt(bundle: Buffer, position: number): string {
  const entries = entriesIn(bundle)
  const entry = entries.find(({ path, at, bytes }) => position < at + entryBytes(path, bytes))
  if (entry) {
    const within = position - contentAt(entry)
    if (within < 0) return `${entry.path} header`
    if (within >= entry.bytes) return `${entry.path} descriptor`
    return /\.jsonl(\.sha256)?$/.test(entry.path)
      ? `${entry.path} row ${rowAt(contentOf(bundle, entry), within)}`
      : entry.path
  }
  let from = bundle.readUInt32LE(bundle.length - 6)
  for (const { path } of entries) {
    from += centralRecordBytes(path)
    if (position < from) return `${path} central record`
  }
  return 'end record'
}

/** A line break belongs to the row before it. */
const rowAt = (content: Buffer, at: number): number => content.toString('latin1', 0, at).split('\n').length

/** The bundle with a manifest that fits its files, signed with this key: what somebody with another key can make. */
export function signedAgain(files: Map<string, Buffer>, key: BundleKey): Buffer {
  const { subject, made_at, runs } = JSON.parse(
    mustHave(files.get('manifest.json'), 'the manifest').toString(),
  ) as Manifest & {
    made_at: string
  }
  const others = [...files].filter(([path]) => !path.startsWith('manifest.'))
  const listed = others.map(([path, bytes]) => ({ path, bytes: bytes.length, sha256: digestOf(bytes).toString('hex') }))
  const { publicKey } = key
  const manifest = Buffer.from(manifestText({ madeAt: new Date(made_at), subject, publicKey, runs, files: listed }))
  const signature = Buffer.from(`${key.sign(manifest).toString('base64')}\n`)
  return archiveOf(new Map([...others, ['manifest.json', manifest], ['manifest.sig', signature]]))
}

/** The bundle with other messages of its first run, and everything around them made to fit. */
export function withMessages({ bytes, key }: SampleBundle, change: (rows: string[]) => string[]): Buffer {
  const files = filesIn(bytes)
  const path = 'runs/run-a/messages.jsonl'
  const rows = change(mustHave(files.get(path), path).toString().split('\n').slice(0, -1))
  files.set(path, Buffer.from(rows.map((row) => `${row}\n`).join('')))
  files.set(`${path}.sha256`, sumsOf(rows))
  return signedAgain(files, key)
}
