// The verification of bundles: every change is found where it is, and a hostile bundle costs no more than its size.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import {
  archiveOf,
  entriesIn,
  filesIn,
  newBundleKey,
  partAt,
  sampleBundle,
  signedAgain,
  sumsOf,
  withMessages,
  type SampleBundle,
} from '../../../test/kit/evidenceBundle.ts'
import { proves } from '../../../test/kit/proves.ts'
import { contentAt } from './archive.ts'
import { keyIdOf } from './keys.ts'
import type { Manifest } from './manifest.ts'
import { verifyBundle, type Verdict } from './verifyBundle.ts'

let sample: SampleBundle
let folder: string
before(async () => {
  sample = await sampleBundle()
  folder = await mkdtemp(join(tmpdir(), 'runyard-bundle-'))
})
after(() => rm(folder, { recursive: true }))

async function verdictOn(bytes: Buffer, options: Parameters<typeof verifyBundle>[1] = {}): Promise<Verdict> {
  const path = join(folder, 'bundle.zip')
  await writeFile(path, bytes)
  return verifyBundle(path, options)
}

proves('evidence.verify', 'a bundle that nobody changed is true, and what it has is counted', async () => {
  const { bytes, key, oldKey } = sample
  const verdict = await verdictOn(bytes)
  assert.deepEqual(verdict.problems, [])
  assert.deepEqual(verdict, {
    isTrue: true,
    problems: [],
    problemsCount: 0,
    remarks: [
      { where: 'runs/run-a/events.jsonl row 7', what: 'No signed seal holds this row.' },
      { where: 'runs/run-a/messages.jsonl row 7', what: 'No signed seal holds this row.' },
      {
        where: 'runs/run-b/seals.jsonl',
        what: 'There is no signed seal: what was changed in the database before this bundle was made is not found.',
      },
    ],
    remarksCount: 3,
    subject: { kind: 'case', id: 'case-1' },
    madeAt: '1970-01-01T00:00:00.000Z',
    keyId: keyIdOf(key.publicKey),
    isGivenKey: null,
    sealKeyIds: [keyIdOf(oldKey.publicKey), keyIdOf(key.publicKey)],
    runs: [
      { id: 'run-a', erased: [], seals: 2, unsigned: 0, unsealed: { events: 1, steps: 0, messages: 1 } },
      {
        id: 'run-b',
        erased: ['events', 'messages'],
        seals: 1,
        unsigned: 1,
        unsealed: { events: 0, steps: 2, messages: 0 },
      },
    ],
    rows: { events: 7, steps: 7, messages: 7, seals: 3, requests: 0, files: 1 },
    files: entriesIn(bytes).length,
    bytes: bytes.length,
  })
})

proves('evidence.givenKeys', 'with keys given, everything must be signed with one of them', async () => {
  const { bytes, key, oldKey } = sample
  assert.equal((await verdictOn(bytes, { keys: [oldKey.publicKey, key.publicKey] })).isTrue, true)
  const withoutOld = await verdictOn(bytes, { keys: [key.publicKey] })
  assert.deepEqual(
    withoutOld.problems.map(({ where }) => where),
    ['runs/run-a/seals.jsonl row 1'],
  )
  assert.equal(withoutOld.isGivenKey, true)
  const another = await verdictOn(bytes, { keys: [newBundleKey().publicKey] })
  assert.equal(another.problems[0]?.where, 'manifest.json')
  assert.equal(another.isGivenKey, false)
})

async function changedIn(file: FileHandle, bundle: Buffer, at: number, byte: number): Promise<Verdict> {
  await file.write(Buffer.of(byte), 0, 1, at)
  const verdict = await verifyBundle(file)
  await file.write(bundle, at, 1, at)
  return verdict
}

proves('evidence.changes', '1,000 random changes of one byte are each found and located', async () => {
  const { bytes } = sample
  const path = join(folder, 'changed.zip')
  await writeFile(path, bytes)
  const file = await open(path, 'r+')
  const wrong: string[] = []
  try {
    // every byte of the small records at the end, and random ones anywhere
    const positions = Array.from({ length: 1000 }, (_, n) => (n < 22 ? bytes.length - 1 - n : randomInt(bytes.length)))
    for (const at of positions) {
      const byte = (bytes[at]! + randomInt(1, 256)) % 256
      const { isTrue, problems } = await changedIn(file, bytes, at, byte)
      const part = partAt(bytes, at)
      if (isTrue || problems[0]?.where !== part)
        wrong.push(`byte ${at} from ${bytes[at]} to ${byte} in ${part}: ${JSON.stringify(problems)}`)
    }
    assert.deepEqual(wrong, [])
    assert.equal((await verifyBundle(file)).isTrue, true)
  } finally {
    await file.close()
  }
})

proves(
  'evidence.changes',
  'each byte of the manifest, its signature and the structures around them is located',
  async () => {
    const { bytes } = sample
    const path = join(folder, 'tail.zip')
    await writeFile(path, bytes)
    const file = await open(path, 'r+')
    const [manifest, signature] = entriesIn(bytes).slice(-2)
    const wrong: string[] = []
    try {
      for (let at = contentAt(manifest!) + manifest!.bytes; at < contentAt(signature!) + signature!.bytes + 16; at++) {
        const { problems } = await changedIn(file, bytes, at, (bytes[at]! + 1) % 256)
        if (problems[0]?.where !== partAt(bytes, at))
          wrong.push(`${at} ${partAt(bytes, at)}: ${JSON.stringify(problems)}`)
      }
      assert.deepEqual(wrong, [])
    } finally {
      await file.close()
    }
  },
)

const eventsPath = 'runs/run-a/events.jsonl'

/** The bundle with other rows of events; `isFitted`: the file beside them is made again too. */
function withRows(change: (rows: string[]) => string[], isFitted: boolean): Buffer {
  const files = filesIn(sample.bytes)
  const rows = change(files.get(eventsPath)!.toString().split('\n').slice(0, -1))
  files.set(eventsPath, Buffer.from(rows.map((row) => `${row}\n`).join('')))
  if (isFitted) files.set(`${eventsPath}.sha256`, sumsOf(rows))
  return archiveOf(files)
}

const rowChanges: [string, (rows: string[]) => string[], number][] = [
  ['removed', (rows) => rows.toSpliced(3, 1), 4],
  ['removed at the end', (rows) => rows.slice(0, -1), 7],
  ['swapped', (rows) => [...rows.slice(0, 1), rows[2]!, rows[1]!, ...rows.slice(3)], 2],
  ['repeated', (rows) => rows.toSpliced(2, 0, rows[1]!), 3],
  ['repeated at the end', (rows) => [...rows, rows[6]!], 8],
  ['changed', (rows) => rows.with(4, '{"events":[]}'), 5],
  ['emptied', (rows) => rows.with(0, ''), 1],
]

proves('evidence.rows', 'a row that was removed, moved, repeated or changed is named', async () => {
  for (const [what, change, row] of rowChanges) {
    const { isTrue, problems } = await verdictOn(withRows(change, false))
    assert.equal(isTrue, false, what)
    assert.equal(problems[0]?.where, `${eventsPath} row ${row}`, `${what}: ${JSON.stringify(problems)}`)
  }
})

proves('evidence.rows', 'when the digests beside the rows are made to fit, the manifest says so', async () => {
  for (const [what, change] of rowChanges) {
    const { isTrue, problems } = await verdictOn(withRows(change, true))
    assert.equal(isTrue, false, what)
    assert.ok(problems[0]?.where.startsWith(eventsPath), `${what}: ${JSON.stringify(problems)}`)
  }
})

proves(
  'evidence.seals',
  'rows that differ from what was sealed are found also when all else was made to fit',
  async () => {
    for (const [what, change, row] of rowChanges) {
      const files = filesIn(withRows(change, true))
      const { isTrue, problems } = await verdictOn(signedAgain(files, sample.key))
      // the seals are over six of the seven rows
      assert.equal(isTrue, row > 6 && what !== 'emptied', `${what}: ${JSON.stringify(problems)}`)
      const rows = row > 4 ? 'rows 5 to 6' : 'rows 1 to 4'
      const expected = what === 'emptied' ? 'row 1' : rows
      if (!isTrue) assert.equal(problems[0]?.where, `${eventsPath} ${expected}`, `${what}: ${JSON.stringify(problems)}`)
    }
  },
)

const sealsPath = 'runs/run-a/seals.jsonl'

/** The bundle with other seals of the first run, and everything around them made to fit. */
function withSeals(change: (seals: SealRow[]) => unknown[]): Buffer {
  const files = filesIn(sample.bytes)
  const seals = files.get(sealsPath)!.toString().split('\n').slice(0, -1)
  const rows = change(seals.map((row) => JSON.parse(row) as SealRow)).map((row) => JSON.stringify(row))
  files.set(sealsPath, Buffer.from(rows.map((row) => `${row}\n`).join('')))
  files.set(`${sealsPath}.sha256`, sumsOf(rows))
  return signedAgain(files, sample.key)
}

interface SealRow {
  seal: string
  signature: { text: string; signature: string; public_key: string } | null
}

const edited = ({ seal, signature }: SealRow, from: string | RegExp, to: string): SealRow => ({
  seal: seal.replace(from, to),
  signature,
})

proves('evidence.seals', 'a seal that is not the one that was signed, or stands elsewhere, is named', async () => {
  const changes: [RegExp, number, (seals: SealRow[]) => unknown[]][] = [
    [/among the seals/, 1, ([one, two]) => [edited(one!, '"source":"api"', '"source":"cli"'), two]],
    [/number is 2/, 1, ([, two]) => [two]],
    [/number is 2/, 1, ([one, two]) => [two, one]],
    [/number is 1/, 2, ([one]) => [one, one]],
    [/a seal of the run/, 1, ([one, two]) => [edited(one!, '"run_id":"run-a"', '"run_id":"run-b"'), two]],
    [/signature is not/, 1, ([one, two]) => [{ ...one, signature: { ...one!.signature, text: '{}' } }, two]],
    [/cannot be read/, 1, ([one, two]) => [{ ...one, signature: { ...one!.signature, signature: 'AAAA' } }, two]],
    [/among the seals/, 1, ([one, two]) => [{ ...one, signature: two!.signature }, two]],
    [/not a seal/, 1, ([, two]) => [{}, two]],
    [/not a seal/, 1, ([one, two]) => [edited(one!, /"rows":\d+/, '"rows":1e300'), two]],
  ]
  for (const [reason, row, change] of changes) {
    const { isTrue, problems } = await verdictOn(withSeals(change))
    assert.equal(isTrue, false)
    assert.equal(problems[0]?.where, `${sealsPath} row ${row}`, JSON.stringify(problems))
    assert.ok(
      problems.some(({ what }) => reason.test(what)),
      `${reason}: ${JSON.stringify(problems)}`,
    )
  }
})

proves('evidence.seals', 'what stands beside a seal must be what it was over', async () => {
  const changes: [string, string, (text: string) => string][] = [
    ['config.json', '', (text) => `${text} `],
    ['messages.jsonl', '', (text) => text.replace('lang lang lang"', 'lang lang"')],
    ['messages.jsonl', ' row 2', (text) => text.replace('Nachricht 2', 'Nachricht 8')],
    ['steps.jsonl', ' rows 1 to 3', (text) => text.split('\n').slice(1).join('\n')],
    ['steps.jsonl', ' row 5', (text) => text.split('\n').toSpliced(4, 1).join('\n')],
    ['events.jsonl', ' row 3', (text) => text.split('\n').toSpliced(2, 5).join('\n')],
  ]
  for (const [name, rows, change] of changes) {
    const files = filesIn(sample.bytes)
    const path = `runs/run-a/${name}`
    const text = change(files.get(path)!.toString())
    files.set(path, Buffer.from(text))
    if (files.has(`${path}.sha256`)) files.set(`${path}.sha256`, sumsOf(text.split('\n').slice(0, -1)))
    const { isTrue, problems } = await verdictOn(signedAgain(files, sample.key))
    assert.equal(isTrue, false, name)
    assert.equal(problems[0]?.where, `${path}${rows}`, JSON.stringify(problems))
  }
})

proves('evidence.seals', 'messages are those that the sealed events tell, and others are named', async () => {
  const missing = await verdictOn(withMessages(sample, (rows) => rows.toSpliced(3, 1)))
  assert.deepEqual(missing.problems, [
    { where: `${eventsPath} row 4`, what: 'The message 4 that it tells is not among the messages.' },
  ])
  const more = await verdictOn(
    withMessages(sample, (rows) => ['{"seq": 0, "text_content": "Pay."}', ...rows, '{"seq": 8}', '{}']),
  )
  assert.deepEqual([more.isTrue, more.runs[0]?.unsealed], [true, { events: 1, steps: 0, messages: 4 }])
  assert.deepEqual(more.remarks[1], {
    where: 'runs/run-a/messages.jsonl row 1',
    what: 'No signed seal holds this row and 3 others.',
  })
})

proves('evidence.late', 'a signature that was made long after the last row, or before it, has a remark', async () => {
  const minute = 60_000
  const cases: [number, RegExp | undefined][] = [
    [9 * minute, undefined],
    [-9 * minute, undefined],
    [11 * minute, /^It was signed 11 minutes after the last row/],
    [-60 * 3 * minute, /^It was signed 3 hours before the last row/],
    [24 * 60 * 41 * minute, /^It was signed 41 days after the last row/],
  ]
  for (const [lateMs, expected] of cases) {
    const { bytes } = await sampleBundle(lateMs)
    const { isTrue, remarks } = await verdictOn(bytes)
    assert.equal(isTrue, true)
    const found = remarks.filter(({ what }) => what.startsWith('It was signed'))
    assert.deepEqual(
      found.map(({ where }) => where),
      expected ? [`${sealsPath} row 1`, `${sealsPath} row 2`] : [],
    )
    if (expected) assert.match(found[0]!.what, expected)
  }
})

proves('evidence.seals', 'rows of a section that the manifest calls erased are not taken', async () => {
  const files = filesIn(sample.bytes)
  const path = 'runs/run-b/events.jsonl'
  files.set(path, Buffer.from('{"events":[]}\n'))
  files.set(`${path}.sha256`, sumsOf(['{"events":[]}']))
  const { problems } = await verdictOn(signedAgain(files, sample.key))
  assert.deepEqual(
    problems.map(({ where }) => where),
    [path],
  )
})

proves('evidence.files', 'a file that was added, taken away, renamed or moved is named', async () => {
  const changes: [string, (files: [string, Buffer][]) => [string, Buffer][]][] = [
    ['added.txt', (files) => [['added.txt', Buffer.from('x')], ...files]],
    ['report.html', (files) => files.slice(1)],
    ['report.html', (files) => [['report.htm', files[0]![1]], ...files.slice(1)]],
    ['report.html', (files) => [files[1]!, files[0]!, ...files.slice(2)]],
    ['runs/run-a/run.json', (files) => files.filter(([path]) => path !== 'runs/run-a/run.json')],
  ]
  for (const [where, change] of changes) {
    const { isTrue, problems } = await verdictOn(archiveOf(new Map(change([...filesIn(sample.bytes)]))))
    assert.equal(isTrue, false)
    assert.ok(
      problems.some((problem) => problem.where.startsWith(where)),
      `${where}: ${JSON.stringify(problems)}`,
    )
  }
})

proves('evidence.files', 'the content of a file of a run must have the hash that is its name', async () => {
  const files = filesIn(sample.bytes)
  const path = [...files.keys()].find((one) => one.includes('/files/'))!
  files.set(path, Buffer.from('other'))
  const { problems } = await verdictOn(signedAgain(files, sample.key))
  assert.deepEqual(
    problems.map(({ where }) => where),
    [path],
  )
})

/** An archive whose manifest says what somebody with a key of their own wants it to say. */
function withManifest(change: (manifest: Record<string, unknown>) => unknown): Buffer {
  const files = filesIn(sample.bytes)
  const value = change(JSON.parse(files.get('manifest.json')!.toString()) as Record<string, unknown>)
  const text = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  files.set('manifest.json', text)
  files.set('manifest.sig', Buffer.from(`${sample.key.sign(text).toString('base64')}\n`))
  return archiveOf(files)
}

proves(
  'evidence.hostile',
  'a manifest that leads elsewhere or lies about sizes is refused with a sentence',
  async () => {
    const [first] = (JSON.parse(filesIn(sample.bytes).get('manifest.json')!.toString()) as Manifest).files
    const withFile = (file: object) => withManifest((manifest) => ({ ...manifest, files: [{ ...first, ...file }] }))
    const hostile = [
      ...['../x', '/etc/passwd', 'a/../../b', 'C:\\x', 'a\u0000b', '', 'manifest.json'].map((path) =>
        withFile({ path }),
      ),
      ...[-1, 1.5, 1e300, 4294967295, null, '7'].map((bytes) => withFile({ bytes })),
      withFile({ sha256: 'A'.repeat(64) }),
      withManifest((manifest) => ({ ...manifest, files: [first, first] })),
      withManifest((manifest) => ({ ...manifest, runs: [{ id: '..', folder: 'runs/../', erased: [] }] })),
      withManifest((manifest) => ({ ...manifest, runs: [{ id: 'run-a', folder: 'runs/run-b/', erased: [] }] })),
      withManifest((manifest) => ({ ...manifest, runs: [] })),
      withManifest((manifest) => ({ ...manifest, format: 'runyard-evidence-2' })),
      withManifest((manifest) => ({ ...manifest, key_id: '0'.repeat(16) })),
      withManifest((manifest) => ({ ...manifest, public_key: 'AAAA' })),
      withManifest((manifest) => ({ ...manifest, made_at: 'then' })),
      withManifest(() => '['.repeat(1_000_000)),
      withManifest(() => '{"a":'.repeat(100_000)),
      withManifest(() => `{"a":[${'[],'.repeat(1_100_000)}1]}`),
      withManifest(() => 'null'),
      withManifest(() => ''),
    ]
    for (const bytes of hostile) {
      const { isTrue, problems } = await verdictOn(bytes)
      assert.equal(isTrue, false)
      assert.match(problems[0]?.what ?? '', /^[A-Z].*\.$/s)
    }
  },
)

proves('evidence.hostile', 'entries that overlap, and lists that lie, are refused', async () => {
  const { bytes } = sample
  const list = bytes.readUInt32LE(bytes.length - 6)
  const patched = (at: number, value: number): Buffer => {
    const copy = Buffer.from(bytes)
    copy.writeUInt32LE(value, at)
    return copy
  }
  const second = list + 46 + 'report.html'.length
  const patches = [
    patched(second + 42, 0),
    patched(second + 24, 0xffff_ffff),
    patched(bytes.length - 6, 0),
    patched(bytes.length - 10, 0xffff_ffff),
    patched(bytes.length - 14, 0xffff_ffff),
  ]
  for (const one of patches) assert.equal((await verdictOn(one)).isTrue, false)
})

proves('evidence.hostile', 'whatever the bytes are, the answer is a verdict', async () => {
  const { bytes } = sample
  const cut = (from: number, to: number): Buffer => Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  const position = (): number => randomInt(bytes.length)
  const strange = [
    Buffer.alloc(0),
    Buffer.from('not a bundle'),
    Buffer.alloc(500),
    Buffer.alloc(500, 0xff),
    bytes.subarray(0, -1),
    Buffer.concat([bytes, Buffer.of(0)]),
    Buffer.concat([Buffer.of(0), bytes]),
    ...Array.from({ length: 50 }, () => bytes.subarray(0, position())),
    ...Array.from({ length: 50 }, () => bytes.subarray(1 + position())),
    ...Array.from({ length: 50 }, () => {
      const from = position()
      return cut(from, from + 1 + randomInt(100))
    }),
    ...Array.from({ length: 50 }, () => {
      const at = position()
      const from = position()
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + 200), bytes.subarray(at)])
    }),
  ].filter((one) => !one.equals(bytes))
  for (const one of strange) {
    const { isTrue, problems } = await verdictOn(one)
    assert.equal(isTrue, false)
    assert.ok(problems.length > 0)
  }
})

proves('evidence.hostile', 'problems are counted, and only the first of many are listed', async () => {
  const files = filesIn(sample.bytes)
  const extra = Array.from({ length: 500 }, (_, n): [string, Buffer] => [`extra/${n}`, Buffer.alloc(0)])
  const { problems, problemsCount } = await verdictOn(archiveOf(new Map([...extra, ...files])))
  assert.equal(problems.length, 100)
  assert.ok(problemsCount >= 500)
})
