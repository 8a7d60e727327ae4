// Lists the last messages of a run that works or worked on a case.
import { part } from '../../../base/db.ts'
import { listMessages } from '../../../engine/ledger/listedMessages.ts'
import { Message } from '../../../kit/event.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'

const messagesMax = 10

export const listRecentCaseRunMessages = operation({
  id: 'listRecentCaseRunMessages',
  client: 'cases.listRecentRunMessages',
  route: 'GET /v2/cases/:case_id/runs/:run_id/recent-messages',
  summary: 'List the last messages of a run of a case',
  description: 'The newest message comes last. listRunMessages gives all of them.',
  scope: 'queues:read',
  query: Type.Object({
    limit: Type.Integer({
      minimum: 1,
      maximum: messagesMax,
      default: messagesMax,
      description: `How many to give, at most ${messagesMax}.`,
    }),
  }),
  status: 200,
  answer: Type.Object({ messages: Type.Array(Message) }, { additionalProperties: false }),
  async handler({ run, query, sql }) {
    // the kit found the run in this team, and by its case_id below this case
    const rows = part`true order by m.seq desc limit ${query.limit}`
    return { messages: await listMessages(sql, run.id, rows, part`-m.seq`) }
  },
})
