// Events to a program of this machine, and deliveries to webhooks.
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isHeard, listenOverCloses } from '../../server/test/survival/cliListen.ts'
import { proves } from '../../server/test/kit/proves.ts'
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
