// What a builder run learns about a run that it should learn from: read once, and cut to what a model can read.
import type { Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'

export interface Lesson {
  run_number: number
  status: string
  title: string
  /** Text that is cut, like everything here that may be long. */
  message: string | null
  output: string | null
  error: { code: string; message: string } | null
  eval_summary: unknown
  /** The last ones, oldest first. */
  messages: { role: string; type: string; text: string }[]
  failed_steps: { seq: number; tool: string | null; error: string | null }[]
  /** For a suggestion: the check that the run did not pass, and what it said of this and of earlier runs. */
  failed_check?: {
    label: string
    description: string | null
    failed_runs: number
    of_runs: number
    comments: { run_number: number; comment: string }[]
  }
}

const messagesMax = 60
const failedStepsMax = 20
const textMax = 1000

/** Undefined: the id names no run of this agent. */
export async function readLesson(
  sql: Sql,
  runId: string,
  agentId: string,
  teamId: string,
): Promise<Lesson | undefined> {
  if (!isId(runId)) return undefined
  const [run] = await sql<Omit<Lesson, 'messages' | 'failed_steps'>>`
    select run_number, status, title, left(message #>> '{}', ${textMax}) as message, left(output #>> '{}', ${textMax}) as output,
      case when error is not null then
        jsonb_build_object('code', error ->> 'code', 'message', left(error ->> 'message', ${textMax})) end as error,
      eval_summary
    from runs where id = ${runId} and agent_id = ${agentId} and team_id = ${teamId}`
  if (!run) return undefined
  const messages = await sql<Lesson['messages'][number]>`
    select m.role, m.type, coalesce(left(coalesce(m.text_content, (m.tool_call)::text, (m.tool_result)::text), ${textMax}), '') as text
    from run_messages m join runs r on r.id = m.run_id and r.team_id = ${teamId}
    where m.run_id = ${runId} and m.type <> 'thinking' order by m.seq desc limit ${messagesMax}`
  const failed_steps = await sql<Lesson['failed_steps'][number]>`
    select s.seq, s.tool, left(s.error, ${textMax}) as error
    from run_steps s join runs r on r.id = s.run_id and r.team_id = ${teamId}
    where s.run_id = ${runId} and s.state in ('failed', 'cut_off', 'in_doubt') order by s.seq desc limit ${failedStepsMax}`
  return { ...run, messages: messages.toReversed(), failed_steps: failed_steps.toReversed() }
}
