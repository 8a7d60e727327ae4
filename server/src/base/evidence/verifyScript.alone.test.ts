// docs/evidence/verify.py, which knows nothing but the documented format, finds what our own verification finds.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { archiveOf, filesIn, partAt, sampleBundle, sumsOf, withMessages } from '../../../test/kit/evidenceBundle.ts'
import { proves } from '../../../test/kit/proves.ts'
import { keyIdOf, type BundleKey } from './keys.ts'

const script = fileURLToPath(new URL('../../../../docs/evidence/verify.py', import.meta.url))
const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3 here'

let folder: string
let file: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runyard-script-'))
  file = join(folder, 'bundle.zip')
})
after(() => rm(folder, { recursive: true }))

function python(words: string[], input = ''): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('python3', words, { input, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Checks many changed copies in one process, and remembers which signatures it has checked. */
const manyCopies = `
import functools, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import verify
verify.is_signed = functools.lru_cache(maxsize=None)(verify.is_signed)
data = open(sys.argv[2], 'rb').read()
for line in sys.stdin:
    at, byte = map(int, line.split())
    try: verify.check(data[:at] + bytes([byte]) + data[at + 1:])
    except SystemExit as said: print(said)
`

proves(
  'evidence.script',
  'the script has at most 60 lines and imports only the standard library',
  { skip },
  async () => {
    const text = await readFile(script, 'utf8')
    assert.ok(text.trimEnd().split('\n').length <= 60)
    const imported = /^import (.*)$/m.exec(text)![1]!
    const foreign = `import sys; print([name for name in "${imported}".split(", ") if name not in sys.stdlib_module_names])`
    assert.equal(python(['-c', foreign]).stdout.trim(), '[]')
    assert.equal(text.match(/^\s*(?:from|import) /gm)?.length, 1)
  },
)

proves('evidence.script', 'a true bundle is true, and its key is named', { skip }, async () => {
  const { bytes, key, oldKey } = await sampleBundle()
  await writeFile(file, bytes)
  const { status, stdout, stderr } = python([script, file])
  const [id, oldId] = [key, oldKey].map(({ publicKey }) => keyIdOf(publicKey))
  const said = [
    'Remark: runs/run-a/events.jsonl row 7 is the first of 1 in no signed seal.',
    'Remark: runs/run-a/messages.jsonl row 7 is the first of 1 in no signed seal.',
    'Remark: runs/run-b/steps.jsonl row 1 is the first of 2 in no signed seal.',
    'Remark: runs/run-b/seals.jsonl has no signed seal.',
    `True, signed with the key ${id}, its seals with ${oldId} ${id}`,
    '',
  ]
  assert.deepEqual([status, stdout.split('\n'), stderr], [0, said, ''])
})

const refused = (where: string, { publicKey }: BundleKey) => [
  1,
  `Not true: ${where} (its key is ${keyIdOf(publicKey)}) does not fit.`,
]

proves('evidence.givenKeys', 'the script takes only what the given keys signed', { skip }, async () => {
  const { bytes, key, oldKey } = await sampleBundle()
  const keysFile = join(folder, 'keys')
  await writeFile(file, bytes)
  const verdictWith = async (keys: BundleKey[]) => {
    const served = { keys: keys.map(({ publicKey }) => ({ public_key: publicKey.toString('base64') })) }
    await writeFile(keysFile, JSON.stringify(served))
    const { status, stderr } = python([script, file, keysFile])
    return [status, stderr.trim()]
  }
  assert.deepEqual(await verdictWith([key, oldKey]), [0, ''])
  assert.deepEqual(await verdictWith([oldKey]), refused('manifest.json', key))
  assert.deepEqual(await verdictWith([key]), refused('runs/run-a/seals.jsonl row 1', oldKey))
})

proves('evidence.late', 'the script says that a seal was signed late', { skip }, async () => {
  for (const [lateMs, said] of [
    [9 * 60_000, []],
    [41 * 24 * 60 * 60_000, [1, 2].map((row) => `runs/run-a/seals.jsonl row ${row} was signed 59040 minutes after`)],
  ] as const) {
    await writeFile(file, (await sampleBundle(lateMs)).bytes)
    const remarks = python([script, file]).stdout.match(/runs\S+ row \d was signed \d+ minutes after/g)
    assert.deepEqual(remarks ?? [], said)
  }
})

proves('evidence.unsealed', 'the script compares messages with what their events tell', { skip }, async () => {
  const changes: [(rows: string[]) => string[], string | undefined][] = [
    [(rows) => rows.with(1, rows[1]!.replace('Nachricht 2', 'Nachricht 8')), 'messages.jsonl row 2'],
    [(rows) => rows.toSpliced(3, 1), 'events.jsonl'],
    [(rows) => ['{"seq": 0, "text_content": "Pay."}', ...rows], undefined],
  ]
  for (const [change, where] of changes) {
    await writeFile(file, withMessages(await sampleBundle(), change))
    const { status, stdout, stderr } = python([script, file])
    assert.equal(status, where === undefined ? 0 : 1, stderr)
    if (where) assert.equal(stderr.trim(), `Not true: runs/run-a/${where} does not fit.`)
    else assert.match(stdout, /messages\.jsonl row 1 is the first of 2 in no signed seal/)
  }
})

/** The script names the entry, and does not tell its header from what is behind it. */
const entryOf = (part: string): string => part.replace(/ (?:header|descriptor|central record)$/, '')

proves('evidence.script', '1,000 random changes of one byte are each found and located', { skip }, async (t) => {
  const { bytes } = await sampleBundle()
  await writeFile(file, bytes)
  const made = Array.from({ length: 1000 }, () => {
    const at = randomInt(bytes.length)
    return { at, byte: (bytes[at]! + randomInt(1, 256)) % 256 }
  })
  const lines = made.map(({ at, byte }) => `${at} ${byte}\n`).join('')
  const { status, stdout, stderr } = python(['-c', manyCopies, dirname(script), file], lines)
  assert.equal(status, 0, stderr)
  const said = stdout.trimEnd().split('\n')
  const expected = made.map(({ at }) => `Not true: ${entryOf(partAt(bytes, at))} does not fit.`)
  assert.deepEqual(said, expected)
  t.diagnostic(`${said.length} changes of one byte found and located by the script`)
})

proves('evidence.script', 'rows that were removed, moved or repeated are named', { skip }, async () => {
  const { bytes } = await sampleBundle()
  const path = 'runs/run-a/events.jsonl'
  const rows = filesIn(bytes).get(path)!.toString().split('\n').slice(0, -1)
  const cases: [string[], boolean, string][] = [
    [rows.toSpliced(3, 1), false, `${path} row 4`],
    [rows.toSpliced(3, 1), true, path],
    [[rows[1]!, rows[0]!, ...rows.slice(2)], false, `${path} row 1`],
    [[rows[1]!, rows[0]!, ...rows.slice(2)], true, path],
    [rows.toSpliced(2, 0, rows[1]!), false, `${path} row 3`],
    [rows.toSpliced(2, 0, rows[1]!), true, path],
    [rows.slice(0, -1), false, `${path} row 7`],
  ]
  for (const [changed, isFitted, where] of cases) {
    const files = filesIn(bytes)
    files.set(path, Buffer.from(changed.map((row) => `${row}\n`).join('')))
    if (isFitted) files.set(`${path}.sha256`, sumsOf(changed))
    await writeFile(file, archiveOf(files))
    const { status, stderr } = python([script, file])
    assert.deepEqual([status, stderr.trim()], [1, `Not true: ${where} does not fit.`])
  }
})
