// runyard dev in a process of its own: a service with a listener, and how they end.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startReceiver } from '../../server/test/kit/receiver.ts'
import { compiledCode, programFile } from '../../server/test/kit/programFile.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { freePort, preparedDataDir } from '../../server/test/survival/processes.ts'
import { lineWith, printed } from './lines.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'runyard-dev-'))
const dataDir = await preparedDataDir()
after(async () => {
  await rm(folder, { recursive: true })
  await dataDir.remove()
})
const env = {
  ...compiledCode,
  PATH: process.env['PATH'],
  HOME: folder,
  RUNYARD_DATA_DIR: dataDir.path,
  PORT: String(await freePort()),
  RUNYARD_DEMO: '0',
  // dev listens to its own service, whatever else somebody is signed in to
  RUNYARD_URL: 'http://127.0.0.1:9',
}

function startDev(words: string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [programFile(program), 'dev', ...words], { env: { ...env, ...more } })
  const said = { out: '', err: '' }
  child.stdout.on('data', (text: Buffer) => (said.out += text.toString()))
  child.stderr.on('data', (text: Buffer) => (said.err += text.toString()))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { child, said, exited }
}

async function listening({ child, said, exited }: ReturnType<typeof startDev>): Promise<void> {
  const ended = exited.then((code) => assert.fail(`it ended with ${code}: ${said.err}`))
  while (!said.err.includes('Listening')) await Promise.race([once(child.stderr, 'data'), ended])
}

proves('cli.dev', 'events of its service go to the receiver, and an interrupt ends both', async () => {
  const receiver = await startReceiver()
  const dev = startDev(['--forward-to', receiver.url, '--events', 'queue.case.created', '--json'])
  await listening(dev)
  const runyard = (...words: string[]) => printed(lineWith(words, { ...env, RUNYARD_URL: '' }))
  const { queue_id } = JSON.parse(await runyard('call', 'createQueue', '--name', 'Heard')) as { queue_id: string }
  await runyard('call', 'createCases', '--queue-id', queue_id, '--case', '{"title":"One"}')
  const [event] = await receiver.got(1)
  assert.equal(event?.headers['x-service-event'], 'queue.case.created')
  const service = JSON.parse(await readFile(join(dataDir.path, 'service.json'), 'utf8')) as { pid: number }
  // a client that connects and sends nothing, as browsers do, does not delay the end
  const silent = connect(Number(env.PORT), '127.0.0.1')
  await once(silent, 'connect')
  const cut = once(silent.resume(), 'close')
  dev.child.kill('SIGINT')
  assert.equal(await dev.exited, 0, dev.said.err)
  await cut
  assert.throws(() => process.kill(service.pid, 0), { code: 'ESRCH' })
  // only the event is data
  const { received } = JSON.parse(dev.said.out) as { received: { status: number } }
  assert.equal(received.status, 200)
  assert.doesNotMatch(dev.said.err, /did not end in time/)
})

proves('cli.dev', 'a service that does not start, or ends, ends the command with a sentence', async () => {
  const wrong = startDev([], { PORT: 'none' })
  assert.equal(await wrong.exited, 1)
  assert.match(wrong.said.err, /PORT must be[^]*The service ended by itself \(exit code 78\)/)
  const dev = startDev([])
  await listening(dev)
  const service = JSON.parse(await readFile(join(dataDir.path, 'service.json'), 'utf8')) as { pid: number }
  process.kill(service.pid, 'SIGINT')
  assert.equal(await dev.exited, 1)
  assert.match(dev.said.err, /The service ended by itself \(exit code 0\)\. Its last lines say why\.\n$/)
  assert.equal((await lineWith(['dev', '--forward-to', 'localhost'], env)).code, 64)
})
