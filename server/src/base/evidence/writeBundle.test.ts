// Bundles as they are written: links, bytes that can be written again, and bounds.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { archiveOf, filesIn, newBundleKey, sampleBundle, sumsOf } from '../../../test/kit/evidenceBundle.ts'
import { proves } from '../../../test/kit/proves.ts'
import { readZip } from '../zipFile.ts'
import { digestOf, linkAfter, linkOver, zeroLink } from './links.ts'
import { BundleRefused, writeBundle, type BundleFile, type NewBundle } from './writeBundle.ts'

const key = newBundleKey()
const subject = { kind: 'run' as const, id: 'one' }

const written = (files: BundleFile[], more: Partial<NewBundle> = {}): Promise<Buffer> =>
  buffer(writeBundle({ files, subject, runs: () => [], key, madeAt: new Date(0), ...more }))

const bare = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

proves('evidence.links', 'a link takes in the one before, one by one or many at once', () => {
  const digests = ['a', 'b', 'c'].map(digestOf)
  const one = digests.reduce(linkAfter, zeroLink)
  assert.deepEqual(linkOver(zeroLink, Buffer.concat(digests)), one)
  const [a, b, c] = digests as [Buffer, Buffer, Buffer]
  assert.deepEqual(one, bare(bare(bare(Buffer.alloc(32), a), b), c))
  assert.deepEqual(linkOver(one, Buffer.alloc(0)), one)
  assert.throws(() => linkOver(zeroLink, Buffer.alloc(33)))
})

proves('evidence.archive', 'a bundle is an ordinary zip archive whose bytes follow from its files', async () => {
  const { bytes } = await sampleBundle()
  const read = await readZip(bytes, { entriesMax: 100, bytesMax: 1_000_000 })
  const files = filesIn(bytes)
  assert.deepEqual(
    read.map(({ path, bytes: content }) => [path, content]),
    [...files].map(([path, content]) => [path, Buffer.from(content)]),
  )
  assert.ok(archiveOf(files).equals(bytes))
  const manifest = JSON.parse(files.get('manifest.json')!.toString()) as { files: { path: string; sha256: string }[] }
  assert.deepEqual(
    manifest.files.map(({ path, sha256 }) => [path, sha256]),
    [...files].slice(0, -2).map(([path, content]) => [path, digestOf(content).toString('hex')]),
  )
})

proves('evidence.archive', 'rows have their digests and links beside them, however many there are', async () => {
  const rows = Array.from({ length: 3000 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(n % 100) }))
  const files = filesIn(await written([{ path: 'a.jsonl', rows }]))
  assert.equal(files.get('a.jsonl')?.toString(), rows.map((row) => `${row}\n`).join(''))
  assert.ok(files.get('a.jsonl.sha256')?.equals(sumsOf(rows)))
})

proves('evidence.bounds', 'a bundle that could not be read again is not finished', async () => {
  const bytes = Buffer.alloc(1000)
  const file = (path: string): BundleFile => ({ path, bytes })
  const refused: [BundleFile[], Partial<NewBundle>, RegExp][] = [
    [[file('../a')], {}, /part of dots/],
    [[file('/a')], {}, /absolute/],
    [[file('a'), file('A')], {}, /twice/],
    [[file('a'), file('a/b')], {}, /a file too/],
    [[file('manifest.json')], {}, /twice/],
    [[file('a.jsonl')], {}, /as rows/],
    [[{ path: 'a', rows: [] }], {}, /ends with/],
    [[{ path: 'a.jsonl', rows: ['{}\n{}'] }], {}, /line break/],
    [[file('a'), file('b')], { bounds: { entriesMax: 100, bytesMax: 2000 } }, /more than 2000 bytes/],
    [[file('a'), file('b')], { bounds: { entriesMax: 3, bytesMax: 1_000_000 } }, /at most 3 entries/],
  ]
  for (const [files, more, reason] of refused) {
    await assert.rejects(written(files, more), (error) => error instanceof BundleRefused && reason.test(error.message))
  }
  const fits = await written([file('a')])
  assert.ok((await written([file('a')], { bounds: { entriesMax: 3, bytesMax: fits.length } })).equals(fits))
  await assert.rejects(written([file('a')], { bounds: { entriesMax: 3, bytesMax: fits.length - 1 } }), BundleRefused)
})
