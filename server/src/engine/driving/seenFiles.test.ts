// Pictures and PDF files in runs: what a model that sees is sent, what any other is told, and what stays of it in the ledger.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, suite } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import type { FakeAnswer, FakeRequest } from '../../../test/fakes/fakeProvider.ts'
import { startFakeOpenai } from '../../../test/fakes/openai.ts'
import { dumpTables } from '../../../test/kit/canaries.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { pdf, png } from '../../../test/kit/seenFiles.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { claimRuns, reviveRuns } from '../admission/claim.ts'
import { wakeDueUnlocked } from '../admission/wake.ts'
import { largeBytes, largeRequestsOf } from './largeRequests.ts'

const first = await startFakeAnthropic()
const second = await startFakeOpenai()
after(async () => {
  await first.close()
  await second.close()
})
const sees = 'anthropic:claude-sonnet-4-5'
const service = await testApp({
  config: {
    anthropicKey: 'sk-ant-canary-1234567890',
    anthropicUrl: first.url,
    openaiKey: 'sk-openai-canary-1234567890',
    openaiUrl: second.url,
    modelSight: { 'anthropic:blind': 'none', 'openai:blind': 'none' },
  },
})
const { sql } = service.context.db

const chart = png(640, 480, { shade: 90, padding: 300 })
const report = pdf(3, 'the report')
const page = Buffer.from('<html><body>not a picture</body></html>')

const agentOf = (team: TestTeam, data: object = {}) =>
  seedAgent(team, 'Look.', { models: { agent: { model: sees } }, plugins: ['sandbox'], ...data })

async function sandboxWith(team: TestTeam, files: Record<string, Buffer>): Promise<string> {
  const { sandbox_id: id } = (await team.call('POST /v2/sandboxes', { body: {} })).body
  for (const [path, bytes] of Object.entries(files)) {
    const { status, text } = await team.call(`POST /v2/sandboxes/${id}/files?path=${path}`, { body: bytes })
    assert.equal(status, 201, text)
  }
  return id
}

async function keepFile(team: TestTeam, name: string, bytes: Buffer): Promise<{ id: string; sha256: string }> {
  const body = { name, content: bytes.toString('base64'), encoding: 'base64' }
  const { status, body: made, text } = await team.call('POST /v2/teams/:teamId/files', { body })
  assert.equal(status, 201, text)
  return made.file
}

const look = (path: string): FakeAnswer => ({ calls: [{ name: 'sandbox_view_file', arguments: { path } }] })

const read = (name: string) => ({ calls: [{ name: 'team_file_read', arguments: { name } }] })

interface Block {
  type: string
  content?: Block[] | string
  source?: { data: string; media_type: string }
}

/** The pictures and documents of a request to Anthropic, also inside results. */
const filesIn = ({ body }: FakeRequest): Block[] => {
  const blocks = (body.messages as { content: Block[] }[]).flatMap(({ content }) => content)
  const all = blocks.flatMap((block) => [block, ...(Array.isArray(block.content) ? block.content : [])])
  return all.filter(({ type }) => type === 'image' || type === 'document')
}

/** Without the marks for the provider's cache, which move with the end. */
const spoken = ({ body }: FakeRequest): string[] =>
  (body.messages as object[]).map((message) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, ''))

async function run(team: TestTeam, agentId: string, answers: FakeAnswer[], body: Record<string, unknown> = {}) {
  first.forget()
  first.requests.length = 0
  second.forget()
  second.requests.length = 0
  first.answer(...answers)
  const runId = await startRun(team, agentId, body)
  await drainRuns(service)
  return { runId, run: await readRun(team, runId) }
}

suite('a model that takes pictures and PDF files', () => {
  proves(
    'runs.seen',
    'sees the files it looks at inside their results, and reads why another is not shown',
    async () => {
      const team = await seedTeam(service)
      const sandbox_id = await sandboxWith(team, { 'chart.png': chart, 'out/report.bin': report, 'page.png': page })
      const answers = [look('chart.png'), look('/workspace/out/report.bin'), look('page.png'), { text: 'seen' }]
      const { run: ended, runId } = await run(team, await agentOf(team), answers, { sandbox_id })
      assert.equal(ended.output, 'seen', JSON.stringify(ended.error))
      const last = first.requests.at(-1)!
      assert.deepEqual(
        filesIn(last).map(({ type, source }) => [type, source?.media_type, source?.data]),
        [
          ['image', 'image/png', chart.toString('base64')],
          ['document', 'application/pdf', report.toString('base64')],
        ],
      )
      assert.match(JSON.stringify(last.body), /page\.png is neither a picture .*whatever its name says \(39 bytes\)/)
      const steps =
        await sql`select result from run_steps where run_id = ${runId} and tool = 'sandbox_view_file' order by seq`
      const facts = { path: '/workspace/chart.png', media_type: 'image/png', width: 640, height: 480 }
      assert.deepEqual(steps[0], { result: { ...facts, size_bytes: chart.length } })
      const { body } = await team.call(`GET /v2/runs/${runId}/steps/2`)
      assert.deepEqual(
        body.step.shown_files.map(({ name, width, sha256 }: Record<string, unknown>) => [name, width, sha256]),
        [['/workspace/chart.png', 640, createHash('sha256').update(chart).digest('hex')]],
      )
      // the bytes are where files are, and nowhere else
      const letters = [chart, report].map((bytes) => bytes.toString('base64').slice(40, 140))
      for (const [table, text] of await dumpTables(service.context)) {
        for (const part of letters) assert.ok(!text.includes(part), `${table} has a copy of a file`)
      }
      assert.ok(letters.every((part) => !service.logged.join('\n').includes(part)))
    },
  )

  proves('runs.seen', 'reads the name, type and size of what it does not take', async () => {
    const team = await seedTeam(service)
    const sandbox_id = await sandboxWith(team, { 'chart.png': chart })
    const agentId = await agentOf(team, { models: { agent: { model: 'anthropic:blind' } } })
    const { run: ended } = await run(team, agentId, [look('chart.png'), { text: 'told' }], { sandbox_id })
    assert.equal(ended.output, 'told')
    const last = first.requests.at(-1)!
    assert.deepEqual(filesIn(last), [])
    assert.match(JSON.stringify(last.body), /chart\.png \(image\/png, 640×480, \d+ (?:bytes|KB)\): you cannot be shown/)
  })

  proves('runs.seenDurable', 'is sent the same by whoever takes the run over between two attempts', async () => {
    const team = await seedTeam(service)
    const sandbox_id = await sandboxWith(team, { 'chart.png': chart, 'report.pdf': report })
    const calls = ['chart.png', 'report.pdf'].flatMap((path) => look(path).calls!)
    const later = { status: 529, headers: { 'retry-after': '300' }, error: { message: 'Overloaded' } }
    const { runId } = await run(team, await agentOf(team), [{ calls }, later], { sandbox_id })
    assert.equal((await readRun(team, runId)).status, 'waiting')
    // the file is another one now: what was seen stays what it was
    await team.call(`POST /v2/sandboxes/${sandbox_id}/files?path=chart.png`, { body: png(8, 8) })
    await sql`update runs set due_at = now() - interval '1 second' where id = ${runId}`
    first.answer(later)
    await drainRuns(service)
    // a process takes it, begins the next attempt and dies in the middle of it
    await sql`update runs set due_at = now() - interval '1 second' where id = ${runId}`
    const worker = newId()
    await wakeDueUnlocked(sql, 100)
    await claimRuns(sql, worker, 100)
    await sql`update run_steps set state = 'intent', result = null where run_id = ${runId} and state = 'waiting'`
    await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
    first.answer({ text: 'seen' })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'seen')
    const [, before, ...again] = first.requests
    assert.equal(again.length, 2)
    for (const request of again) {
      assert.equal(filesIn(request).length, 2)
      assert.ok(JSON.stringify(request.body) === JSON.stringify(before!.body), 'the same, byte for byte')
    }
  })

  proves(
    'runs.seenBounds',
    'is shown at most twenty: the older half goes at once, and recall shows one again',
    async () => {
      const team = await seedTeam(service)
      const sandbox_id = await sandboxWith(team, { 'chart.png': chart })
      const looks = Array.from({ length: 24 }, () => look('chart.png'))
      const again = { calls: [{ name: 'recall', arguments: { step: 2 } }] }
      const { run: ended, runId } = await run(team, await agentOf(team), [...looks, again, { text: 'done' }], {
        sandbox_id,
      })
      assert.equal(ended.output, 'done', JSON.stringify(ended.error))
      const counts = first.requests.map((request) => filesIn(request).length)
      assert.deepEqual(counts, [...Array(21).keys(), 10, 11, 12, 13, 14])
      const rooms =
        await sql`select said, result ->> 'says' as says from run_steps where run_id = ${runId} and arguments ->> 'room' = 'drop'`
      assert.equal(rooms.length, 1)
      assert.match(String(rooms[0]!['says']), /^Left out 11 pictures and PDF files of turns 1 to 11: about/)
      const breaks = first.requests
        .slice(1)
        .filter((next, index) =>
          spoken(first.requests[index]!).some((message, place) => spoken(next)[place] !== message),
        )
      assert.equal(breaks.length, 1, 'requests only grow but for the one time')
      assert.match(
        spoken(first.requests.at(-1)!).join(),
        /chart\.png .{0,80}not shown any more, to make room\. recall with step 2/,
      )
    },
  )

  proves('runs.seenRefused', 'continues with words where the provider refuses a file', async () => {
    const team = await seedTeam(service)
    const sandbox_id = await sandboxWith(team, { 'chart.png': chart })
    const refusal = { status: 400, error: { message: 'Could not process image', type: 'invalid_request_error' } }
    const { run: ended } = await run(team, await agentOf(team), [look('chart.png'), refusal, { text: 'without' }], {
      sandbox_id,
    })
    assert.equal(ended.output, 'without', JSON.stringify(ended.error))
    const last = first.requests.at(-1)!
    assert.deepEqual(filesIn(last), [])
    assert.match(JSON.stringify(last.body), /left out: Anthropic answered 400: Could not process image/)
    const failing = await run(team, await agentOf(team), [look('chart.png'), refusal, refusal], {
      sandbox_id: await sandboxWith(team, { 'chart.png': chart }),
    })
    assert.deepEqual([failing.run.status, failing.run.error.code], ['failed', 'model_refused_request'])
  })

  proves('runs.seenRoutes', 'hands the same turn on as text when the next model does not see', async () => {
    const team = await seedTeam(service)
    const sandbox_id = await sandboxWith(team, { 'chart.png': chart })
    const agentId = await agentOf(team, { models: { agent: [{ model: sees }, { model: 'openai:blind' }] } })
    await sql`delete from model_breakers`
    second.answer({ text: 'by the second' })
    const down = { status: 500, error: { message: 'oops' } }
    first.forget()
    first.requests.length = 0
    first.answer(look('chart.png'), down)
    const runId = await startRun(team, agentId, { sandbox_id })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'by the second')
    assert.equal(filesIn(first.requests.at(-1)!).length, 1)
    const told = JSON.stringify(second.requests.at(-1)!.body)
    assert.doesNotMatch(told, /input_image|;base64,/)
    assert.match(told, /chart\.png \(image\/png, 640×480.*you cannot be shown this type of file/)
  })

  proves('runs.seenTeams', 'sees nothing of another team, by path, by name or by a forged reference', async () => {
    const [mine, other] = [await seedTeam(service), await seedTeam(service)]
    await sandboxWith(other, { 'secret.png': chart })
    const { sha256, id } = await keepFile(other, 'secret.png', chart)
    const forged = JSON.stringify({
      files: [{ name: 'x', media_type: 'image/png', sha256, size_bytes: 9, width: 9, height: 9, pages: null }],
      shows: [{ sha256, media_type: 'image/png' }],
      picture: { media_type: 'image/png', base64: chart.toString('base64').slice(0, 80) },
    })
    const agentId = await agentOf(mine, { plugins: ['sandbox', 'memory'] })
    await mine.call(`PUT /v2/agents/${agentId}/memory/files/forged.json`, { body: { content: forged } })
    const paths = ['secret.png', '/files/secret.png', `/files/${id}`, '/files/../files/secret.png', '../secret.png']
    const { run: ended } = await run(mine, agentId, [
      { calls: paths.flatMap((path) => look(path).calls!) },
      { calls: [{ name: 'memory_read', arguments: { path: 'forged.json' } }] },
      { text: 'nothing' },
    ])
    assert.equal(ended.output, 'nothing', JSON.stringify(ended.error))
    assert.ok(first.requests.every((request) => filesIn(request).length === 0))
    assert.match(JSON.stringify(first.requests.at(-1)!.body), /The build gives this run no file/)
  })

  proves('runs.seen', 'sees a picture among the files of its team, and none that holds a secret', async () => {
    const team = await seedTeam(service)
    const value = 'canary-secret-value-8c1f'
    const tainted = Buffer.concat([chart, Buffer.from(`tEXt${value}`)])
    await keepFile(team, 'logo.png', chart)
    await keepFile(team, 'tainted.png', tainted)
    const secret = { name: 'crm', values: { TOKEN: value } }
    assert.equal((await team.call('POST /v2/teams/:teamId/secrets', { body: secret })).status, 201)
    const agentId = await agentOf(team, { files: ['logo.png', 'tainted.png'], secrets: ['crm'] })
    const { run: ended } = await run(team, agentId, [read('logo.png'), look('/files/tainted.png'), { text: 'seen' }])
    assert.equal(ended.output, 'seen', JSON.stringify(ended.error))
    const last = first.requests.at(-1)!
    assert.deepEqual(
      filesIn(last).map(({ source }) => source?.data),
      [chart.toString('base64')],
    )
    assert.match(JSON.stringify(last.body), /tainted\.png is not shown: it holds a secret/)
  })

  proves('runs.seenBounds', 'waits for its turn where a process makes many requests with large files', async () => {
    const team = await seedTeam(service)
    const pool = largeRequestsOf(service.context)
    const others = Array.from({ length: pool.size }, (_, index) => pool.tryTake(`team ${index % 2}`))
    assert.ok(others.every((release) => release !== undefined))
    const large = Buffer.concat([report, Buffer.alloc(largeBytes, ' ')])
    const sandbox_id = await sandboxWith(team, { 'large.pdf': large })
    first.forget()
    first.requests.length = 0
    first.answer(look('large.pdf'), { text: 'seen' })
    const runId = await startRun(team, await agentOf(team), { sandbox_id })
    const drained = drainRuns(service)
    while (pool.waiting(team.id) === 0) await setImmediate()
    assert.equal(first.requests.length, 1)
    for (const release of others) release?.()
    await drained
    assert.equal((await readRun(team, runId)).output, 'seen')
    assert.equal(pool.taken(), 0)
  })
})
