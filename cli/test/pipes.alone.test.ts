// What a command prints into a pipe: all of it comes, however slowly somebody reads, and what happens when nobody does.
import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compiledCode, programFile } from '../../server/test/kit/programFile.ts'
import { answerJson, localServer } from '../../sdk/test/kit/localServer.ts'
import { outputOf } from '../src/output.ts'

const program = programFile(fileURLToPath(new URL('../src/main.ts', import.meta.url)))
const rowsCount = 2000

const folder = await mkdtemp(join(tmpdir(), 'runyard-pipes-'))
after(() => rm(folder, { recursive: true }))

/** A service with many runs, in pages, and a queue that takes no case. */
const { url } = await localServer((response, { method, path }) => {
  if (method === 'POST') return
  const { searchParams } = new URL(path, 'http://any')
  const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)))
  const rows = Array.from({ length: rowsCount }, (_, index) => ({ id: String(index), title: 'x'.repeat(200) }))
  answerJson(response, 200, {
    data: rows.slice(offset, offset! + limit!),
    total: rowsCount,
    queues: [{ id: 'queue', name: 'Queue' }],
  })
})

function inPipe(...words: string[]): ChildProcessByStdio<Writable, Readable, Readable> {
  const env = {
    ...compiledCode,
    PATH: process.env['PATH'],
    RUNYARD_URL: url,
    RUNYARD_API_KEY: 'none',
    RUNYARD_TEAM: 'team',
    TMPDIR: folder,
  }
  return spawn(process.execPath, [program, ...words], { env, stdio: 'pipe' })
}

test('a pipe gets all lines of a list, also after its command has nothing more to do', async () => {
  for (const words of [
    ['runs', '--json', '-n', '0'],
    ['call', 'listRuns', '--limit', '100', '--all'],
    ['api', 'GET', `/v2/runs?offset=0&limit=${rowsCount}`],
  ]) {
    const child = inPipe(...words)
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    assert.equal(code, 0, words.join(' '))
    assert.equal(printed.match(/"title"/g)?.length, rowsCount, words.join(' '))
  }
})

test('a command that acts stops, and leaves nothing, when nobody reads what it says', async () => {
  const child = inPipe('cases', 'import', '-', '--format', 'ndjson', '--queue', 'queue', '--skip-invalid')
  child.stderr.destroy()
  child.stdin.end('not JSON\n{"title":"One"}\n')
  assert.deepEqual(await once(child, 'exit'), [130, null])
  assert.deepEqual(await readdir(folder), [])
})

test('no row is fetched before the system has the one before', async () => {
  const taking: (() => void)[] = []
  const stdout = {
    writableLength: 0,
    write(data: string | Uint8Array, done?: () => void) {
      stdout.writableLength += data.length
      if (done) taking.push(done)
    },
  }
  const out = outputOf({ json: true, csv: false, env: {}, stdout, stderr: stdout })
  let fetched = 0
  async function* rows() {
    for (; fetched < 3; fetched += 1) yield { fetched }
  }
  const printing = out.rows([], rows())
  for (const count of [0, 1, 2]) {
    await new Promise(setImmediate)
    assert.equal(fetched, count)
    taking.shift()?.()
  }
  await printing
})
