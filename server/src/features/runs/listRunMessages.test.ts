// The messages of a run, as a client pages through them.
import assert from 'node:assert/strict'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { insertRun } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const agentId = await seeders['agent']!(team, {})

async function runWith(messages: number): Promise<string> {
  const run = { team_id: team.id, agent_id: agentId, build_id: newId(), status: 'completed', message_seq: messages }
  const id = await insertRun(team.sql, run)
  await team.sql`
    insert into run_messages (run_id, seq, id, turn, type, role, text_content, tool_call, opaque, "timestamp")
    select ${id}, n, gen_random_uuid(), 1, case when n % 3 = 0 then 'tool_call' else 'text' end, 'assistant',
      case when n % 3 = 0 then null else 'Message ' || n end,
      case when n % 3 = 0 then '{"id": "x:1", "name": "http_request", "arguments": {}}'::jsonb end, '{"hidden": true}', now()
    from generate_series(1, ${messages}) n`
  return id
}

const page = async (id: string, query = '') => (await team.call(`GET /v2/runs/${id}/messages${query}`)).body
const seqs = (messages: { seq: number }[]) => messages.map(({ seq }) => seq)

proves('runs.messagesList', 'messages are listed oldest first, from the number that the offset gives', async () => {
  const id = await runWith(130)
  const first = await page(id)
  assert.deepEqual(Object.keys(first), ['messages', 'total', 'limit', 'offset'])
  assert.deepEqual([first.total, first.limit, first.offset, first.messages.length], [130, 50, 0, 50])
  assert.deepEqual(
    seqs(first.messages),
    Array.from({ length: 50 }, (_, index) => index + 1),
  )
  const last = await page(id, '?offset=100&limit=500')
  assert.deepEqual([last.messages.length, last.messages[0].seq, last.messages.at(-1).seq], [30, 101, 130])
  assert.deepEqual((await page(id, '?limit=0')).messages, [])
  assert.deepEqual((await page(id, '?offset=2147483647')).messages, [])
  assert.equal((await team.call(`GET /v2/runs/${id}/messages?limit=501`)).status, 400)
})

proves(
  'runs.messagesShown',
  'a message shows what it says, and never what the model’s driver keeps with it',
  async () => {
    const { messages } = await page(await runWith(3))
    assert.deepEqual(Object.keys(messages[2]), [
      'id',
      'run_id',
      'seq',
      'type',
      'role',
      'timestamp',
      'text_content',
      'tool_call',
      'tool_result',
    ])
    assert.deepEqual(messages[2].tool_call, { id: 'x:1', name: 'http_request', arguments: {} })
    assert.ok(!JSON.stringify(messages).includes('hidden'))
  },
)

proves('runs.messagesList', 'a run without messages has an empty page', async () => {
  assert.deepEqual(await page(await runWith(0)), { messages: [], total: 0, limit: 50, offset: 0 })
})
