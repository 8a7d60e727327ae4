// Large messages are stored once, and every reader gets the whole text.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { sweepBlobs } from '../../drivers/blobs/sweepBlobs.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

const kibibyte = 1024
/** The text does not compress, and has characters of two and four bytes. */
const largeText = (bytes: number): string => `Grüße 🙂 ${randomBytes(bytes / 2).toString('hex')}`
const procedure = '```output\nread\n```\n'

const textsOf = async (team: TestTeam, runId: string): Promise<string[]> => {
  const { body } = await team.call(`GET /v2/runs/${runId}/messages`)
  return body.messages.map((message: { text_content: string | null }) => message.text_content)
}

/** Counts the bytes of all blobs, and the bytes that the rows of runs and messages hold beside them. */
async function keptBytes(runId: string): Promise<{ blobs: number; rows: number }> {
  const [kept] = await sql<{ blobs: number; rows: number }>`
    select (select coalesce(sum(b.size_bytes), 0)::bigint from blobs b where b.sha256 in (
        select text_blob from run_messages where run_id = ${runId} union select message_blob from runs where id = ${runId})) as blobs,
      (select sum(pg_column_size(r.*)) from runs r where id = ${runId})
        + (select sum(pg_column_size(m.*)) from run_messages m where run_id = ${runId})
        + (select sum(pg_column_size(e.*)) from event_batches e where run_id = ${runId})::bigint as rows`
  return kept!
}

for (const [kind, message] of [
  ['text', largeText(970 * kibibyte)],
  ['object', { empty: {}, notes: [largeText(900 * kibibyte)], order: 7 }],
] as const) {
  proves('texts.once', `a message of 1 MB is kept once and read whole by everybody: ${kind}`, async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    const runId = await startRun(team, agentId, { message })
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output], ['completed', 'read'])
    assert.deepEqual(run.message, message)
    const text = typeof message === 'string' ? message : JSON.stringify(message, null, 2)
    assert.equal((await textsOf(team, runId))[0], text)
    const { blobs, rows } = await keptBytes(runId)
    assert.equal(blobs, Buffer.byteLength(text))
    assert.ok(rows < blobs / 4, `${rows} bytes beside ${blobs}`)
    // another run with the same message, here a retry, stores nothing more
    const again = await team.call(`POST /v2/runs/${runId}/retry`, { body: {} })
    await drainRuns(service)
    assert.deepEqual((await readRun(team, again.body.run_id)).message, message)
    const [stored] = await sql<{ blobs: number }>`select count(*) as blobs from blobs where size_bytes = ${blobs}`
    assert.equal(stored!.blobs, 1)
  })
}

proves(
  'texts.once',
  'a run that another worker takes over has the whole message, and a small one stays in its row',
  async () => {
    const team = await seedTeam(service)
    const message = largeText(70 * kibibyte)
    const echo = await seedAgent(team, '```output\n{{ message }}\n```\n')
    const runId = await startRun(team, echo, { message })
    // a holder that died: the next one reads the run's row and its log
    await sql`update runs set epoch = epoch + 1 where id = ${runId} and worker is null`
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, message)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'and once more' } })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).status, 'completed')
    assert.deepEqual((await textsOf(team, runId)).includes(message), true)
    const small = await startRun(team, echo, { message: 'x'.repeat(60 * kibibyte) })
    const [row] = await sql`
    select message_blob, (select count(*) from run_messages where run_id = ${small} and text_blob is not null) as kept_apart
    from runs where id = ${small}`
    assert.deepEqual(row, { message_blob: null, kept_apart: 0 })
  },
)

proves('texts.erased', 'a large message is found by its words, counts as stored, and goes with its run', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const message = `pelican ${largeText(100 * kibibyte)}`
  const runId = await startRun(team, agentId, { message })
  await drainRuns(service)
  const found = await team.call('GET /v2/teams/:teamId/runs?search=pelican')
  assert.deepEqual([found.body.total, found.body.data[0].id], [1, runId])
  const used = async () => {
    const { body } = await team.call('GET /v2/teams/:teamId/billing/entitlements')
    return body.entitlements.find(({ key }: { key: string }) => key === 'storage_bytes').used
  }
  assert.equal(await used(), Buffer.byteLength(message))
  assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
  assert.equal(await used(), 0)
  await sql`update blobs set created_at = now() - interval '25 hours' where size_bytes = ${Buffer.byteLength(message)}`
  while ((await sweepBlobs(sql, 100)) > 0);
  assert.deepEqual(await sql`select from blobs where size_bytes = ${Buffer.byteLength(message)}`, [])
})
