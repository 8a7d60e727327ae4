// Lists the last messages of a run that works or worked on a case.
import { part } from '../../base/db.ts'
import { wholeText } from '../../engine/largeTexts.ts'
import { Message } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { Type, type Static } from '../../kit/schema.ts'

const messagesMax = 10

export const listRecentCaseRunMessages = operation({
  id: 'listRecentCaseRunMessages',
  route: 'GET /v2/cases/:case_id/runs/:run_id/recent-messages',
  summary: 'List the last messages of a run of a case',
  description: 'The newest stands last. All of them are in listRunMessages.',
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
    const messages = await sql<Static<typeof Message>>`
      select id, run_id, seq, type, role, "timestamp", ${wholeText(part`m`)} as text_content, tool_call, tool_result
      from run_messages m where run_id = ${run.id} order by seq desc limit ${query.limit}`
    return { messages: messages.toReversed() }
  },
})
