// Lists the messages of a run, oldest first.
import { Message } from '../../kit/event.ts'
import { part } from '../../base/db.ts'
import { wholeText } from '../../engine/largeTexts.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Type, type Static } from '../../kit/schema.ts'

export const listRunMessages = operation({
  id: 'listRunMessages',
  route: 'GET /v2/runs/:run_id/messages',
  summary: 'List the messages of a run',
  description: 'Oldest first. Messages are numbered from 1 without gaps, so those after `seq` n are at `offset=n`.',
  scope: 'runs:read',
  query: Type.Object(paging(50, 500)),
  status: 200,
  answer: pageOf('messages', Message),
  async handler({ team, run, query: { limit, offset }, sql }) {
    // the last number is the total, and a page is a range of numbers: page 1,000 costs what the first one does
    const messages = await sql<Static<typeof Message>>`
      select id, run_id, seq, type, role, "timestamp", ${wholeText(part`m`)} as text_content, tool_call, tool_result
      from run_messages m where run_id = ${run.id} and seq > ${offset} and seq <= ${offset}::bigint + ${limit} order by seq`
    const [counted] = await sql<{ total: number }>`
      select message_seq as total from runs where id = ${run.id} and team_id = ${team.id}`
    return { messages, total: counted?.total ?? 0, limit, offset }
  },
})
