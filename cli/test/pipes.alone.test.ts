// What a command prints into a pipe: all of it comes, however slowly somebody reads, and what happens when nobody does.
import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compiledCode, programFile } from '../../server/test/kit/programFile.ts'
import { answerJson, localServer } from '../../sdk/test/kit/localServer.ts'
import { runAndReport } from '../src/main.ts'
import { outputOf } from '../src/output.ts'

const program = programFile(fileURLToPath(new URL('../src/main.ts', import.meta.url)))
const rowsCount = 2000
/** More than a pipe holds. */
const large = 'x'.repeat(1024 * 1024)

const folder = await mkdtemp(join(tmpdir(), 'runyard-pipes-'))
const states = await mkdtemp(join(tmpdir(), 'runyard-states-'))
after(() => Promise.all([folder, states].map((one) => rm(one, { recursive: true }))))

/** A service with many runs, in pages, one that has ended, a queue that takes no case, events that never end, and room for agents. */
const { url, asked } = await localServer((response, { method, path }) => {
  if (method === 'POST' && path.endsWith('/agents'))
    return answerJson(response, 200, { agent: { id: 'agent' }, build: {} })
  if (path.endsWith('/retry')) return answerJson(response, 201, { run: { id: 'ended' } })
  if (method === 'POST') return
  if (path.includes('/ended'))
    return answerJson(response, path.endsWith('/events') ? 403 : 200, { run: { status: 'completed', output: large } })
  if (path.endsWith('/events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const data = JSON.stringify({ event: 'run.message.created', data: { text: path.includes('large') ? large : '' } })
    return void response.write(`id: 1\nevent: run.message.created\ndata: ${data}\n\n`)
  }
  const { searchParams } = new URL(path, 'http://any')
  const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)))
  const rows = Array.from({ length: rowsCount }, (_, index) => ({ id: String(index), title: 'x'.repeat(200) }))
  answerJson(response, 200, {
    data: rows.slice(offset, offset! + limit!),
    total: rowsCount,
    queues: offset === 0 ? [{ id: 'queue', name: 'Queue' }] : [],
  })
})

const env = {
  ...compiledCode,
  PATH: process.env['PATH'],
  RUNYARD_URL: url,
  RUNYARD_API_KEY: 'none',
  RUNYARD_TEAM: 'team',
  TMPDIR: folder,
  XDG_STATE_HOME: states,
}

const inPipe = (...words: string[]): ChildProcessByStdio<Writable, Readable, Readable> =>
  spawn(process.execPath, [program, ...words], { env, stdio: 'pipe' })

async function withoutReader(...words: string[]): Promise<{ said: string; code: number | null }> {
  const child = inPipe(...words)
  child.stdout.destroy()
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>])
  return { said, code }
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

test('a command that only reads ends well when nobody reads what it prints', async () => {
  for (const words of [
    ['runs', '--json', '-n', '0'],
    ['call', 'listRuns', '--limit', '100', '--all'],
    ['runs', 'tail', 'run', '--json'],
  ]) {
    assert.deepEqual(await withoutReader(...words), { said: '', code: 0 }, words.join(' '))
  }
})

test('an event whose line a closed pipe refused is not seen', async () => {
  const { said, code } = await withoutReader('listen', '--from', 'start', '--json')
  assert.deepEqual({ said, code }, { said: '', code: 0 })
  assert.deepEqual(await readdir(states), [])
})

test('a push whose plan nobody reads stops between two changes, and its exit code says that it was not done', async () => {
  const at = await mkdtemp(join(tmpdir(), 'runyard-agents-'))
  after(() => rm(at, { recursive: true }))
  for (const name of ['One', 'Two']) {
    await mkdir(join(at, name))
    await writeFile(join(at, name, 'agent.yaml'), `name: ${name}\nconfig: { version: v2, data: { input: First. } }\n`)
  }
  const { said, code } = await withoutReader('agents', 'push', at, '--yes')
  assert.equal(code, 130)
  assert.match(said, /^Interrupted after [01] of 2 changes/)
  assert.ok(asked.filter(({ method, path }) => method === 'POST' && path.endsWith('/agents')).length < 2)
})

test('a list is fetched to its end before anybody has read a row of it', async () => {
  const { stdout } = stuck()
  let fetched = 0
  await outputOf({ json: true, csv: false, env: {}, stdout, stderr: stdout }).rows(
    [],
    rowsWith('', () => (fetched += 1)),
  )
  assert.equal(fetched, 40)
})

test('a list of which 16 MiB are unread waits for its reader, until it is interrupted', async () => {
  const { stdout, take } = stuck()
  const byHand = new AbortController()
  let fetched = 0
  const rows = rowsWith('x'.repeat(1024 * 1024), () => (fetched += 1))
  const out = outputOf({ json: true, csv: false, env: {}, signal: byHand.signal, stdout, stderr: stdout })
  const printing = out.rows([], rows)
  await new Promise(setImmediate)
  assert.equal(fetched, 16)
  take()
  await new Promise(setImmediate)
  assert.equal(fetched, 32)
  byHand.abort()
  await assert.rejects(printing, { name: 'AbortError' })
})

test('Ctrl-C ends the wait for a pipe that nobody reads', async () => {
  for (const words of [
    ['api', 'GET', '/events'],
    ['call', 'streamRunEvents', '--run-id', 'run'],
    ['runs', 'tail', 'run', '--json'],
  ]) {
    const { stdout } = stuck(() => process.emit('SIGINT'))
    let said = ''
    const stderr = { write: (more: unknown) => (said += String(more)) }
    assert.equal(await runAndReport(words, env, { stdout, stderr }), 130, `${words.join(' ')}: ${said}`)
  }
})

test('Ctrl-C ends a command that has done all but to be read', async () => {
  const child = inPipe('api', 'GET', `/v2/runs?offset=0&limit=${rowsCount}`)
  await once(child.stdout, 'readable')
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [130, null])
})

test('--timeout ends a command whose output nobody reads, also after its run has ended', async () => {
  for (const words of [
    ['runs', 'tail', 'large', '--json'],
    ['runs', 'retry', 'ended', '--wait'],
  ]) {
    const child = inPipe(...words, '--timeout', '1s')
    assert.deepEqual(await once(child, 'exit'), [124, null], words.join(' '))
  }
})

/** A pipe that nobody reads until `take`; `waiting` is called when somebody waits for its reader. */
function stuck(waiting: () => void = () => undefined) {
  const taking: (() => void)[] = []
  const stdout = {
    writableLength: 0,
    write(data: string | Uint8Array, done?: () => void) {
      stdout.writableLength += data.length
      if (!done) return
      taking.push(done)
      waiting()
    },
  }
  const take = (): void => {
    stdout.writableLength = 0
    taking.shift()?.()
  }
  return { stdout, take }
}

async function* rowsWith(title: string, fetched: () => void): AsyncGenerator<{ id: number; title: string }> {
  for (let id = 0; id < 40; id += 1) {
    fetched()
    yield { id, title }
  }
}
