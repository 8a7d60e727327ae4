// The SDK against a real service in a process of its own.
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { preparedDataDir, startService, type Service } from '../../server/test/survival/processes.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { ConflictError, InvalidRequestError, NotFoundError, Runyard, type RunStreamEvent } from '../src/index.ts'

const asking = '```ask\nMay it continue?\n```\n'
const output = '```output\ndone: {{ message }}\n```'

describe('the SDK', () => {
  let service: Service
  let runyard: Runyard
  let remove: () => Promise<void>
  before(async () => {
    const dataDir = await preparedDataDir()
    remove = dataDir.remove
    service = await startService({ dataDir: dataDir.path })
    runyard = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
  })
  after(async () => {
    await service.stop()
    await remove()
  })

  const agentOf = async (procedure: string): Promise<string> => {
    const config = { version: 'v2' as const, data: { input: procedure } }
    return (await runyard.agents.create({ name: 'Tested', build: { config } })).agent_id
  }

  proves('sdk.waits', 'starts a run, follows its events and gives its end', async () => {
    const agent_id = await agentOf(output)
    const events: RunStreamEvent[] = []
    const run = await runyard.runs.startAndWait(
      { agent_id, message: 'now' },
      { onEvent: (event) => void events.push(event) },
    )
    assert.equal(run.status, 'completed')
    assert.ok(events.some(({ event }) => event === 'run.started'))
    assert.equal(events.at(-1)?.event, 'end')
  })

  proves(
    'sdk.errors',
    'a refusal is an error of its status, with the code and the sentence of the server',
    async () => {
      const unknown = '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'
      await assert.rejects(
        async () => runyard.runs.get(unknown),
        (error) => {
          assert.ok(error instanceof NotFoundError)
          assert.equal(error.code, 'not_found')
          assert.ok(error.requestId)
          return true
        },
      )
      await assert.rejects(async () => runyard.agents.create({ name: '' }), InvalidRequestError)
    },
  )

  proves('sdk.keys', 'a call with the same key is carried out once, and says that it is a replay', async () => {
    const options = { idempotencyKey: 'the same' }
    const first = await runyard.queues.create({ name: 'Once' }, options).withResponse()
    const second = await runyard.queues.create({ name: 'Once' }, options).withResponse()
    assert.deepEqual([first.isReplay, second.isReplay], [false, true])
    assert.deepEqual(first.data, second.data)
    await assert.rejects(async () => runyard.queues.create({ name: 'Other' }, options), ConflictError)
  })

  proves('sdk.lists', 'a list gives every row once, over as many pages as there are', async () => {
    const { queue_id } = await runyard.queues.create({ name: 'Many' })
    const titles = Array.from({ length: 25 }, (_, index) => ({ title: `Case ${index}`, external_id: String(index) }))
    for (let round = 0; round < 2; round += 1) {
      let existing = 0
      for await (const added of runyard.cases.createMany(queue_id, titles, { batchSize: 10 }))
        existing += Number(added.existing)
      assert.equal(existing, round * 25)
    }
    const found = new Set<string>()
    for await (const { title } of runyard.cases.list(queue_id, { limit: 7 })) found.add(title)
    assert.equal(found.size, 25)
    assert.equal((await runyard.cases.list(queue_id).page()).total, 25)
  })

  proves('sdk.lists', 'a list gives no row twice when rows arrive during the walk', async () => {
    const { queue_id } = await runyard.queues.create({ name: 'Growing' })
    const add = (title: string) => runyard.cases.create(queue_id, { case: { title } })
    for (let count = 0; count < 12; count += 1) await add(`Before ${count}`)
    const found: string[] = []
    // newest first, so each that arrives moves all others
    for await (const { title } of runyard.cases.list(queue_id, { limit: 3 })) {
      found.push(title)
      await add(`During ${found.length}`)
    }
    assert.equal(new Set(found).size, found.length)
    const older = found.filter((title) => title.startsWith('Before'))
    assert.deepEqual(
      older,
      Array.from({ length: 12 }, (_, index) => `Before ${11 - index}`),
    )
  })

  proves('sdk.people', 'a wait ends where a person is needed, and continues when the request is answered', async () => {
    const agent_id = await agentOf(`${asking}\n${output}`)
    const stopped = await runyard.runs.startAndWait({ agent_id })
    assert.equal(stopped.status, 'waiting')
    assert.equal(stopped.pendingRequest?.request.title, 'May it continue?')
    const events: string[] = []
    const ended = await runyard.runs.startAndWait(
      { agent_id },
      {
        onEvent: ({ event }) => void events.push(event),
        // the run has often ended before the event comes that it had stopped
        async onRequest(request) {
          await request.answer({ 'May it continue?': 'yes' })
          await runyard.runs.wait(request.request.run_id)
        },
      },
    )
    assert.equal(ended.status, 'completed')
    assert.equal(events.at(-1), 'end')
    const pending = []
    for await (const request of runyard.humanRequests.pending()) pending.push(request.request.run_id)
    assert.deepEqual(pending, [stopped.id])
  })

  proves('sdk.files', 'a file goes up and comes down unchanged, with progress', async () => {
    const { sandbox_id } = await runyard.sandboxes.create({})
    const bytes = new Uint8Array(300_000).map((_, index) => index % 251)
    const seen: number[] = []
    await runyard.sandboxes.upload(sandbox_id, 'a/b.bin', bytes, { onProgress: ({ bytes: done }) => seen.push(done) })
    assert.equal(seen.at(-1), 300_000)
    const blob = await runyard.sandboxes.download(sandbox_id, 'a/b.bin')
    assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), bytes)
  })
})
