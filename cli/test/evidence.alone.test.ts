// runyard evidence: a bundle is downloaded, and checked without any service, in words and by the exit code.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPublicKey, randomInt } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { keyIdOf } from '../../server/src/base/evidence/keys.ts'
import { sealSome } from '../../server/src/features/evidence/sealRuns.ts'
import { newBundleKey, partAt, sampleBundle, type SampleBundle } from '../../server/test/kit/evidenceBundle.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../server/test/kit/runs.ts'
import { linesOf, lineWith, openBench, printed, type Outcome } from './lines.ts'

const bench = await openBench()

let folder: string
let file: string
let sample: SampleBundle
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runyard-evidence-'))
  file = join(folder, 'bundle.zip')
  sample = await sampleBundle()
})
after(() => rm(folder, { recursive: true }))

async function verify(bytes: Buffer, ...words: string[]): Promise<Outcome> {
  await writeFile(file, bytes)
  return lineWith(['evidence', 'verify', file, ...words], {})
}

const keysFile = async (text: string): Promise<string> => {
  const path = join(folder, 'keys')
  await writeFile(path, text)
  return path
}

proves('cli.evidence', 'a true bundle is described, and the exit code is 0', async () => {
  const { bytes, key, oldKey } = sample
  const { code, stdout, stderr } = await verify(bytes)
  assert.deepEqual([code, stderr], [0, ''])
  const [id, oldId] = [key, oldKey].map(({ publicKey }) => keyIdOf(publicKey))
  assert.deepEqual(stdout.split('\n'), [
    'About     case case-1',
    'Made      1970-01-01T00:00:00.000Z',
    `Key       ${id}, as the bundle says itself: compare it, or give --key`,
    `Files     27, in ${bytes.length} bytes`,
    'Rows      7 events, 7 steps, 7 messages, 3 seals, 0 requests, 1 files',
    'Run       run-a: 2 seals, in no signed seal: 1 events, 1 messages',
    'Run       run-b: 1 seal, 1 not signed, in no signed seal: 2 steps, erased: events, messages',
    `Seals by  ${oldId}, ${id}`,
    '',
    'Remarks: it fits, but ask about',
    '  runs/run-a/events.jsonl row 7: No signed seal holds this row.',
    '  runs/run-a/messages.jsonl row 7: No signed seal holds this row.',
    '  runs/run-b/seals.jsonl: There is no signed seal: what was changed in the database before this bundle was made is not found.',
    '',
    `True, with 3 remarks, if ${id} is a key of the service that it came from.`,
    '',
  ])
})

const base64 = (one: Buffer): string => one.toString('base64')

proves('cli.evidence', 'keys are read from the answer of a service, from PEM and from base64', async () => {
  const { bytes, key, oldKey } = sample
  const served = { keys: [key, oldKey].map(({ publicKey }) => ({ public_key: base64(publicKey) })) }
  const known = await verify(bytes, '--key', await keysFile(JSON.stringify(served)))
  assert.equal(known.code, 0)
  assert.match(known.stdout, /True, with 3 remarks: nothing was changed since this key signed it\./)
  const stranger = newBundleKey().publicKey
  const pem = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), stranger]),
    format: 'der',
    type: 'spki',
  }).export({ type: 'spki', format: 'pem' })
  for (const text of [String(pem), `${base64(stranger)}\n`]) {
    const { code, stdout } = await verify(bytes, '--key', await keysFile(text))
    assert.equal(code, 1)
    assert.match(stdout, /manifest\.json: It is signed with the key \w+, which is not the given one\./)
  }
  const nothing = await verify(bytes, '--key', await keysFile('{}'))
  assert.equal(nothing.code, 1)
  assert.match(nothing.stderr, /has no public key/)
})

proves('cli.evidence', 'a change is named with its row, in words and as JSON', async () => {
  for (let n = 0; n < 30; n++) {
    const at = randomInt(sample.bytes.length)
    const changed = Buffer.from(sample.bytes)
    changed[at]! ^= 1 << randomInt(8)
    const part = partAt(sample.bytes, at)
    const plain = await verify(changed)
    assert.equal(plain.code, 1)
    assert.ok(plain.stdout.includes(`\n  ${part}: `), `${part}: ${plain.stdout}`)
    assert.ok(plain.stdout.endsWith(`Not true: the first thing that does not fit is ${part}.\n`), plain.stdout)
    const json = await verify(changed, '--json')
    const { is_true, problems } = JSON.parse(json.stdout) as { is_true: boolean; problems: { where: string }[] }
    assert.deepEqual([json.code, is_true, problems[0]?.where], [1, false, part])
  }
})

proves('cli.evidence', 'what is not a bundle is refused in a sentence', async () => {
  const text = await verify(Buffer.from('hello'))
  assert.equal(text.code, 1)
  assert.match(text.stdout, /end record: It is not the end of a bundle/)
  const missing = await lineWith(['evidence', 'verify', join(folder, 'nothing.zip')], {})
  assert.deepEqual([missing.code, missing.stdout], [1, ''])
  assert.match(missing.stderr, /no such file/)
  assert.match((await lineWith(['evidence', 'verify', folder], {})).stderr, /is not a file/)
})

/** A message over 16 KiB is cut in its event. */
const longMessage = 'long '.repeat(5000)

async function endedRun(): Promise<string> {
  const { app, team } = bench
  const agentId = await seedAgent(team, '```memory path=notes.md\nFirst.\n```\n\n```output\ndone\n```\n')
  const runId = await startRun(team, agentId, { message: longMessage })
  await drainRuns(app)
  return runId
}

proves('cli.evidence', 'the evidence of a run is downloaded whole, and is true', async () => {
  const { runyard, baseUrl } = bench
  const runId = await endedRun()
  const [path, keys] = [join(folder, 'run.zip'), join(folder, 'keys.json')]
  const said = await printed(runyard('evidence', 'get', runId, '--files', '-o', path))
  assert.match(said, /run\.zip: \d+ bytes\. Check it with: runyard evidence verify /)
  await writeFile(keys, await (await fetch(`${baseUrl}/.well-known/runyard-evidence.json`)).text())
  const checked = linesOf(await printed(runyard('evidence', 'verify', path, '--key', keys)))
  assert.equal(checked[0], `About     run ${runId}`)
  // the run may not be sealed yet
  assert.match(checked.at(-1) ?? '', /^True(, with \d remarks?)?: nothing was changed since this key signed it\.$/)
})

proves('cli.evidence', 'a download that is refused leaves no file', async () => {
  const path = join(folder, 'none.zip')
  const unknown = await bench.runyard('evidence', 'get', '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f', '-o', path)
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /^Nothing with this id/)
  await assert.rejects(stat(path))
  assert.equal((await bench.runyard('evidence', 'get', '../x')).code, 64)
})

const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3 here'

proves('evidence.script', 'the script takes what a real service sealed', { skip: noPython }, async () => {
  const path = join(folder, 'sealed.zip')
  const runId = await endedRun()
  const { context } = bench.app
  const isSealed = () => context.db.sql`select from run_seals where run_id = ${runId}`
  while ((await isSealed()).length === 0) await sealSome(context)
  await printed(bench.runyard('evidence', 'get', runId, '-o', path))
  assert.match(await printed(bench.runyard('evidence', 'verify', path)), new RegExp(`Run +${runId}: 1 seal\n`))
  const script = fileURLToPath(new URL('../../docs/evidence/verify.py', import.meta.url))
  const { status, stdout, stderr } = spawnSync('python3', [script, path], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^True, signed with the key ([0-9a-f]{16}), its seals with \1\n$/)
})
