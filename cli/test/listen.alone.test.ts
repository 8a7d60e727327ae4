// Events to a program of this machine, and deliveries to webhooks.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isHeard, listenOverCloses } from '../../server/test/survival/cliListen.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { startReceiver } from '../../server/test/kit/receiver.ts'
import { cursorOf } from '../src/listen/cursor.ts'
import { runAndReport } from '../src/main.ts'
import { linesOf, openBench } from './lines.ts'

const { folder, baseUrl, team, env, runyard } = await openBench()

/** The ids of the events that it printed, until `enough` of them are there. */
async function heard(enough: number, ...words: string[]): Promise<string[]> {
  const lines: string[] = []
  const stdout = {
    write(text: string | Uint8Array) {
      lines.push(...linesOf(String(text)))
      if (lines.length === enough) process.emit('SIGINT')
    },
  }
  const stderr = { write: () => undefined }
  assert.equal(
    await runAndReport(['listen', '--events', 'queue.case.created', '--json', ...words], env, { stdout, stderr }),
    0,
  )
  return lines.map((line) => (JSON.parse(line) as { id: string }).id)
}

proves('cli.listen', 'with --from start it begins with the oldest event, however far it was', async () => {
  const { queue_id } = (await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Oldest' } })).body
  const create = (title: string) => team.call(`POST /v2/queues/${queue_id}/cases`, { body: { case: { title } } })
  await create('First')
  await create('Second')
  const all = await heard(2, '--from', 'start')
  assert.deepEqual(await heard(2, '--from', 'start'), all)
  await create('Third')
  const [third] = await heard(1)
  assert.deepEqual(await heard(3, '--from', 'start'), [...all, third])
})

proves('cli.listen', 'what one listener has printed is still sent to the receiver of another', async () => {
  const { queue_id } = (await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Two' } })).body
  const create = (title: string) => team.call(`POST /v2/queues/${queue_id}/cases`, { body: { case: { title } } })
  const receiver = await startReceiver()
  await create('Before')
  const all = await heard(4, '--from', 'start')
  const sent = ['--forward-to', receiver.url]
  assert.deepEqual(await heard(4, '--from', 'start', ...sent), all)
  await create('Printed')
  const [printed] = await heard(1)
  await create('After')
  assert.equal((await heard(1, ...sent))[0], printed)
})

proves('cli.listen', 'what its receiver has is not sent again because nobody read its line', async () => {
  const receiver = await startReceiver()
  const sent = ['--forward-to', receiver.url]
  const [first, ...others] = await heard(6, '--from', 'start')
  const stuck = {
    writableLength: 1,
    write: (_: unknown, done?: () => void) => done && process.emit('SIGINT'),
  }
  const words = ['listen', '--events', 'queue.case.created', '--from', 'start', ...sent]
  assert.equal(await runAndReport(words, env, { stdout: stuck, stderr: { write: () => undefined } }), 0)
  assert.deepEqual(
    receiver.received.map(({ body }) => (JSON.parse(String(body)) as { id: string }).id),
    [first],
  )
  assert.deepEqual(await heard(5, ...sent), others)
})

proves(
  'cli.listen',
  'a listener begins its first time where those of the version before ended, for a day',
  async () => {
    const home = join(folder, 'upgraded')
    const states = join(home, 'runyard', 'listen')
    await mkdir(states, { recursive: true })
    const name = createHash('sha256').update(`${baseUrl} ${team.id}`).digest('hex').slice(0, 24)
    const shared = join(states, `${name}.json`)
    const position = `1-2-3-${team.id}`
    await writeFile(shared, JSON.stringify({ position }))
    const cursor = (forwardTo?: string, ...events: string[]) =>
      cursorOf({ XDG_STATE_HOME: home }, { baseUrl, teamId: team.id, forwardTo, events })
    const [one, other] = [cursor('http://one', 'run.failed', 'run.completed'), cursor(undefined, 'run.failed')]
    assert.deepEqual([await one.read(), await other.read()], [position, position])
    const own = `4-5-6-${team.id}`
    await one.write(own)
    assert.deepEqual([await one.read(), await other.read()], [own, position])
    assert.equal(await cursor('http://one', 'run.completed', 'run.failed').read(), own)
    for (const [hours, begins] of [
      [23, position],
      [25, undefined],
    ] as const) {
      const then = Date.now() / 1000 - hours * 3600
      await utimes(shared, then, then)
      assert.deepEqual([await one.read(), await other.read()], [own, begins])
    }
  },
)

proves('cli.listen', 'what happens while it is closed comes when it opens again: once, in order, signed', async (t) => {
  const target = { baseUrl, key: team.key, teamId: team.id, folder }
  const seen = await listenOverCloses(target, { closes: 2, perPhase: 4, pauseMs: 0 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(isHeard(seen), JSON.stringify(seen))
  assert.equal(seen.events, 20)
  const state = join(folder, '.local', 'state', 'runyard', 'listen')
  const [file = ''] = await readdir(state)
  assert.equal((await stat(join(state, file))).mode & 0o777, 0o600)
  for (const words of [
    ['--from', 'then'],
    ['--print', 'xml'],
    ['--forward-to', 'localhost'],
  ]) {
    assert.equal((await runyard('listen', ...words)).code, 64)
  }
  assert.equal((await runyard('listen', '--events', 'run.nothing')).code, 1)
})
