// Posts a message to a run, which reads it at its next turn. A run that has ended continues with it.
import { one } from '../../base/db.ts'
import { addUserMessage } from '../../engine/requests/addUserMessage.ts'
import { monthSpent } from '../../engine/counting/monthSpent.ts'
import { hasEnded, type Status } from '../../engine/ledger/lifecycle.ts'
import { isPausedFor, pausedSentence } from '../../engine/starting/pauses.ts'
import { Message } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type, type Static } from '../../kit/schema.ts'
import { RunStatus } from './run.ts'
import { runHooks } from '../../kit/registry.ts'
import { messageText } from '../../engine/ledger/change.ts'

const messageBytesMax = 64 * 1024

export const postRunMessage = operation({
  id: 'postRunMessage',
  client: 'runs.postMessage',
  route: 'POST /v2/runs/:run_id/messages',
  summary: 'Post a message to a run',
  description:
    'An active run reads the message at its next turn; posting a message does not end a wait. A run that has ended starts again with it, ' +
    'and its log, usage and limits continue; that is refused while its agent is paused, and when the team has spent what it may in a month. From then on the run also acts for you: it can no longer use private connections of others.',
  scope: 'runs:write',
  body: Type.Object({
    message: Type.Union(
      [Type.String({ minLength: 1, maxLength: messageBytesMax }), Type.Record(Type.String(), Type.Unknown())],
      {
        description: 'Text, or an object that becomes JSON text; at most 64 KiB.',
        examples: ['The amount was corrected.'],
      },
    ),
  }),
  status: 201,
  answer: Type.Object({ message: Message, message_id: Id, run_id: Id, status: RunStatus }),
  errors: ['invalid_request', 'not_found', 'conflict', 'sandbox_busy', 'entitlement_exceeded', 'agent_paused'],
  async handler({ team, caller, run, body, sql, context, fail }) {
    if (run.source === 'artifact') {
      fail('conflict', 'This run works on an artifact. Post to the artifact: POST /v2/artifacts/{artifactId}/messages.')
    }
    const given = typeof body.message === 'string' ? body.message : JSON.stringify(body.message)
    if (Buffer.byteLength(given) > messageBytesMax) {
      fail('invalid_request', 'message is larger than 64 KiB. Put large things into files and say where they are.')
    }
    // the agent before the run, as its deletion locks them: an ended run cannot be started while its agent goes
    const agent = await one(sql<{ is_deleted: boolean; paused_name: string | null; paused_reason: string | null }>`
      select a.deleted_at is not null as is_deleted, case when ${isPausedFor} then a.name end as paused_name, a.paused_reason
      from agents a left join builds b on b.id = ${run.build_id} and b.team_id = a.team_id
      where a.id = ${run.agent_id} and a.team_id = ${team.id} for share of a`)
    const [now] = await sql<{ status: Status; is_erased: boolean }>`
      select status, log_erased_at is not null as is_erased from runs
      where id = ${run.id} and team_id = ${team.id} for update`
    if (!now) return fail('not_found')
    if (hasEnded(now.status)) {
      if (agent.is_deleted) fail('conflict', 'This run has ended and its agent is deleted, so it cannot continue.')
      if (now.is_erased) {
        fail('conflict', 'The log of this run was erased after its time, so it cannot continue. Start a new run.')
      }
      if (agent.paused_name !== null) fail('agent_paused', pausedSentence(agent.paused_name, agent.paused_reason))
      const spent = await monthSpent(sql, team.id)
      if (spent !== undefined) fail('entitlement_exceeded', spent)
    }
    const posted = await addUserMessage(sql, run, { text: messageText(body.message)!, memberId: caller.member_id })
    if (hasEnded(now.status) && run.sandbox_id !== null) {
      const taken = { teamId: team.id, runId: run.id, sandboxId: run.sandbox_id, isNew: false }
      await runHooks('runTakesSandbox', { sql, context, ...taken })
    }
    const message = posted.message as Static<typeof Message>
    return { message, message_id: message.id, run_id: run.id, status: posted.status }
  },
})
