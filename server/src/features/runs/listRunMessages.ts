// Lists the messages of a run, oldest first.
import { Message } from '../../kit/event.ts'
import { part } from '../../base/db.ts'
import { listMessages } from '../../engine/ledger/listedMessages.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'

export const listRunMessages = operation({
  id: 'listRunMessages',
  client: 'runs.listMessages',
  route: 'GET /v2/runs/:run_id/messages',
  summary: 'List the messages of a run',
  description:
    'Oldest first. Messages are numbered from 1 without gaps, so those after `seq` n are at `offset=n`. Long texts are cut from where ' +
    'the page exceeds 4 MiB (`truncated`); the first message of a page is always whole.',
  scope: 'runs:read',
  query: Type.Object(paging(50, 500)),
  status: 200,
  answer: pageOf('messages', Message),
  async handler({ team, run, query: { limit, offset }, sql }) {
    // the last number is the total, and a page is a range of numbers: page 1,000 costs what the first one does
    const rows = part`m.seq > ${offset} and m.seq <= ${offset}::bigint + ${limit}`
    const messages = await listMessages(sql, run.id, rows)
    const [counted] = await sql<{ total: number }>`
      select message_seq as total from runs where id = ${run.id} and team_id = ${team.id}`
    return { messages, total: counted?.total ?? 0, limit, offset }
  },
})
