// docs/evidence/verify.py, which knows nothing but the documented format, finds what our own verification finds.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { archiveOf, filesIn, partAt, sampleBundle, sumsOf } from '../../../test/kit/evidenceBundle.ts'
import { proves } from '../../../test/kit/proves.ts'
import { keyIdOf } from './keys.ts'

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
  const { bytes, key } = await sampleBundle()
  await writeFile(file, bytes)
  const { status, stdout, stderr } = python([script, file])
  assert.deepEqual([status, stdout, stderr], [0, `True, signed with the key ${keyIdOf(key.publicKey)}\n`, ''])
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
