// Text while it is made: reaches the streams on its run in this process and in others, in order, and costs nobody else anything.
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { readStream, type StreamReader } from '../../../test/kit/eventStream.ts'
import { seedRunningRun } from '../../../test/kit/followedRuns.ts'
import { newId } from '../../base/ids.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { deltaChannel } from '../ledger/notifyChannels.ts'
import { textDeltasOf } from './textDeltas.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const provider = await startFakeAnthropic()
after(() => provider.close())
const config = {
  allowPrivateHosts: ['127.0.0.1'],
  anthropicKey: 'sk-ant-canary-1234567890',
  anthropicUrl: provider.url,
}
const api = await testApp({ address, config })
const worker = await testApp({ address })
const team = await seedTeam(api)
const baseUrl = await api.listen()
before(() => seeders['agent']!(team, {}))

const textOf = ({ events }: StreamReader) =>
  events.flatMap(({ event, data }) => (event === 'delta' ? [data.text as string] : [])).join('')

/** Once it has heard this call, it hears all that come after. */
async function relaying(): Promise<() => void> {
  const stop = textDeltasOf(worker.context).relay()
  const call = () => void worker.context.db.sql`select pg_notify('runyard_probe', '')`
  let again: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    worker.context.listener.on('runyard_probe', () => resolve())
    again = setInterval(call, 20)
  })
  clearInterval(again)
  return stop
}

/** Makes text until the reader has heard some: from then on the two processes know of each other. */
async function untilHeard(reader: StreamReader, make: () => void): Promise<void> {
  const again = setInterval(make, 50)
  await reader.until(({ events }) => events.length > 0)
  clearInterval(again)
}

describe('text deltas', () => {
  proves('deltas.here', 'reach every stream on the run in the same process, gathered and without an id', async () => {
    const [runId, otherId] = [await seedRunningRun(team), await seedRunningRun(team)]
    const readers = await Promise.all(
      [runId, runId, otherId].map((id) => readStream(baseUrl, team, `/v2/runs/${id}/events`)),
    )
    const words = 'The invoice is paid. '.repeat(20).split(/(?<= )/)
    for (const word of words) textDeltasOf(api.context).made(runId, word)
    for (const reader of readers.slice(0, 2)) {
      await reader.until((its) => textOf(its) === words.join(''))
      assert.equal(reader.events.length, 1)
      assert.equal(reader.events[0]!.id, undefined)
      assert.equal(reader.events[0]!.data.run_id, runId)
    }
    assert.deepEqual(readers[2]!.events, [])
    for (const reader of readers) reader.leave()
  })

  proves(
    'deltas.elsewhere',
    'reach streams of another process in order, however long they are, in calls of at most 7 KiB',
    async () => {
      const runId = await seedRunningRun(team)
      const stop = await relaying()
      const payloads: string[] = []
      const stopListening = api.context.listener.on(deltaChannel, (payload) => payloads.push(payload))
      const reader = await readStream(baseUrl, team, `/v2/runs/${runId}/events`)
      const { made } = textDeltasOf(worker.context)
      await untilHeard(reader, () => made(runId, '.'))
      const text = 'Ünï 😀\u0007"\n'.repeat(1500)
      made(runId, text)
      made(runId, 'the end')
      await reader.until((its) => textOf(its).endsWith('the end'))
      assert.equal(textOf(reader).replace(/^\.+/, ''), `${text}the end`)
      assert.ok(payloads.length > 3)
      assert.ok(payloads.every((payload) => Buffer.byteLength(payload) <= 7168))
      reader.leave()
      stop()
      stopListening()
    },
  )

  proves('deltas.unwatched', 'are not called out for runs that nobody watches', async () => {
    const [watched, unwatched] = [await seedRunningRun(team), await seedRunningRun(team)]
    const heard: string[] = []
    const stopListening = api.context.listener.on(deltaChannel, (payload) => {
      heard.push((JSON.parse(payload) as { run_id: string }).run_id)
    })
    const stop = await relaying()
    const reader = await readStream(baseUrl, team, `/v2/runs/${watched}/events`)
    await untilHeard(reader, () => {
      for (const runId of [unwatched, watched]) textDeltasOf(worker.context).made(runId, '.')
    })
    assert.ok(heard.length > 0)
    assert.deepEqual([...new Set(heard)], [watched])
    reader.leave()
    stop()
    stopListening()
  })

  proves(
    'deltas.model',
    'come while the model is still speaking, and before the message that they make up',
    async () => {
      const hold = Promise.withResolvers<void>()
      provider.answer({ text: ['It is ', 'paid.'], hold: hold.promise })
      const agentId = await seedAgent(team, 'Answer.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
      const runId = await startRun(team, agentId, { message: 'Is it paid?' })
      const reader = await readStream(baseUrl, team, `/v2/runs/${runId}/events`)
      const driven = drainRuns(api)
      await reader.until((its) => textOf(its) === 'It is ')
      hold.resolve()
      await driven
      assert.equal(await reader.ended, 'whole')
      const kinds = reader.events.map(({ event }) => event)
      assert.ok(kinds.indexOf('delta') < kinds.lastIndexOf('run.message.created'))
      assert.deepEqual(kinds.slice(-2), ['run.completed', 'end'])
      assert.equal(reader.events.at(-2)!.data.data.output, 'It is paid.')
    },
  )

  proves('deltas.secrets', 'a secret is cut out of live text, wherever the model’s pieces cut it in two', async () => {
    const value = 'live-"canary"-ü😀-5e6f'
    const name = `live_${newId().slice(-8)}`
    const made = await team.call('POST /v2/teams/:teamId/secrets', { body: { name, values: { TOKEN: value } } })
    assert.equal(made.status, 201, made.text)
    const letters = Array.from(value)
    const cuts = letters.map((_, at) => letters.slice(0, at).join(''))
    const hold = Promise.withResolvers<void>()
    provider.answer(
      {
        text: cuts.flatMap((begin) => ['Take ', begin, `${value.slice(begin.length)}, `]),
        calls: [{ name: 'memory_list', arguments: {} }],
      },
      { text: ['Now. ', 'Done.'], hold: hold.promise },
    )
    const models = { agent: { model: 'anthropic:claude-sonnet-4-5' } }
    const agentId = await seedAgent(team, 'Answer.', { models, secrets: [name], plugins: ['memory'] })
    const runId = await startRun(team, agentId, { message: 'What is it?' })
    const reader = await readStream(baseUrl, team, `/v2/runs/${runId}/events`)
    const driven = drainRuns(api)
    await reader.until((its) => textOf(its).includes('Now. '))
    hold.resolve()
    await driven
    await reader.ended
    const clean = 'Take [cut], '.repeat(cuts.length)
    assert.ok(textOf(reader).startsWith(`${clean}Now. `), textOf(reader))
    const said = reader.events.filter(({ event }) => event === 'run.message.created')
    assert.ok(JSON.stringify(said).includes(clean), 'the message says the same')
  })
})
