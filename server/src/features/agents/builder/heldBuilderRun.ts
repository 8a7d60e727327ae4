// A builder run that one process holds: claimed by its epoch, and written only while the process still holds it.
import { empty, part, type Part, type Sql } from '../../../base/db.ts'
import { storable, storableJson, storableText } from '../../../base/storable.ts'
import type { TokenUsage } from '../../../drivers/model/model.ts'
import type { BuildConfig } from '../builds/build.ts'
import type { BuilderAnswer } from './builderAnswer.ts'
import type { BuilderQuestion, ProposedTrigger } from './builderRun.ts'
import type { Lesson } from './lesson.ts'

/** One message between the builder and its model, after the request itself. */
export type BuilderMessage =
  /** The person's answers. */
  | { kind: 'user'; text: string }
  /** The builder's message: what is wrong with the model's last answer. */
  | { kind: 'system'; text: string }
  | { kind: 'assistant'; text: string | null; opaque: unknown; answer: BuilderAnswer }

export interface HeldBuilderRun {
  id: string
  team_id: string
  agent_id: string
  agent_name: string
  model: string
  prompt: string
  lesson: Lesson | null
  checkpoint_config: BuildConfig
  answers: Record<string, string | string[]>
  messages: BuilderMessage[]
  created_at: Date
  /** The member who asked for it. */
  created_by: string | null
  epoch: number
  /** How often it was claimed since it last advanced, including this claim. */
  attempt: number
  /** How often it was postponed since then. */
  troubles: number
  /** A call of its model that no row counts yet. Without usage, nobody knows whether it was answered. */
  uncounted?: { usage: TokenUsage | undefined } | undefined
}

export interface BuilderError {
  code: string
  message: string
}

/** Somebody else holds it now, or ended it: nothing more may be written. */
export class BuilderRunFenced extends Error {
  constructor() {
    super('the builder run is no longer held by this job')
  }
}

/** Undefined: it has ended, waits for somebody, or is not due yet. */
export async function claimBuilderRun(sql: Sql, id: string, teamId: string): Promise<HeldBuilderRun | undefined> {
  const [held] = await sql<HeldBuilderRun>`
    update builder_runs b set
      status = 'running', started_at = coalesce(started_at, now()), epoch = epoch + 1, attempt = attempt + 1, due_at = null,
      updated_at = now()
    where id = ${id} and team_id = ${teamId} and status in ('pending', 'running') and (due_at is null or due_at <= now())
    returning id, team_id, agent_id, (select name from agents a where a.id = b.agent_id) as agent_name, model, prompt, lesson,
      checkpoint_config, answers, messages, created_at, created_by, epoch, attempt, troubles`
  return held
}

/** How far the builder run has come: what was said and answered so far. */
export async function progressOfBuilderRun(sql: Sql, id: string): Promise<string> {
  const [found] = await sql<{ place: string }>`
    select jsonb_array_length(messages) || ' ' || md5(answers::text) as place from builder_runs where id = ${id}`
  return found?.place ?? ''
}

const lineLengthMax = 300

const cut = (line: string): string => {
  const text = storableText(line)
  return text.length <= lineLengthMax ? text : `${text.slice(0, lineLengthMax).toWellFormed()}…`
}

/**
 * SQL for the progress with these lines, without those that it has already. Each line is written once per builder run, also when a turn
 * that was cut off begins again.
 */
export const addProgress = (lines: string[]): Part => part`
  progress || coalesce((
    select jsonb_agg(
      jsonb_build_object('at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'text', line) order by place)
    from unnest(${lines.map(cut)}::text[]) with ordinality as fresh (line, place)
    where not exists (select from jsonb_array_elements(progress) as told (entry) where entry ->> 'text' = line)
  ), '[]')`

async function write(sql: Sql, held: HeldBuilderRun, changes: Part, lines: string[]): Promise<void> {
  const written = await sql`
    update builder_runs set updated_at = now(), progress = ${addProgress(lines)}${changes}
    where id = ${held.id} and team_id = ${held.team_id} and epoch = ${held.epoch} and status = 'running' returning id`
  if (written.length === 0) throw new BuilderRunFenced()
}

/** Without lines it only makes sure that the builder run is still ours. */
export async function writeProgress(sql: Sql, held: HeldBuilderRun, lines: string[]): Promise<void> {
  if (lines.length > 0) return write(sql, held, empty, lines)
  const ours = await sql`
    select id from builder_runs
    where id = ${held.id} and team_id = ${held.team_id} and epoch = ${held.epoch} and status = 'running'`
  if (ours.length === 0) throw new BuilderRunFenced()
}

export type Spent = TokenUsage & { cost_usd: string }

const adding = (spent: Spent | undefined): Part =>
  spent === undefined
    ? empty
    : part`, input_tokens = input_tokens + ${spent.input_tokens}, output_tokens = output_tokens + ${spent.output_tokens},
        cost_usd = cost_usd + ${spent.cost_usd}::numeric`

/** Adds a message. The builder run has advanced with it: the next turn has all its attempts again, and this claim is the first of them. */
export async function addMessage(
  sql: Sql,
  held: HeldBuilderRun,
  said: BuilderMessage,
  lines: string[],
  spent?: Spent,
): Promise<void> {
  const stored = storableJson(storable([said]))
  const changes = part`, messages = messages || ${stored}::jsonb, attempt = 1, troubles = 0${adding(spent)}`
  await write(sql, held, changes, lines)
  held.messages.push((JSON.parse(stored) as [BuilderMessage])[0])
  held.attempt = 1
  held.troubles = 0
}

/** What was read and said before is not needed any more, and is erased. */
const forgotten = part`messages = '[]', lesson = null, due_at = null`

export async function propose(
  sql: Sql,
  held: HeldBuilderRun,
  proposal: { config: BuildConfig; diff: string; triggers: ProposedTrigger[] },
): Promise<void> {
  const changes = part`,
    status = 'review', proposed_config = ${storableJson(storable(proposal.config))}::jsonb, diff = ${proposal.diff},
    proposed_triggers = ${storableJson(storable(proposal.triggers))}::jsonb, ${forgotten}`
  await write(sql, held, changes, ['Ready for review.'])
}

export async function askPerson(sql: Sql, held: HeldBuilderRun, questions: BuilderQuestion[]): Promise<void> {
  const changes = part`,
    status = 'waiting', attempt = 0, troubles = 0, pending_user_questions = ${JSON.stringify({ questions })}::jsonb`
  await write(sql, held, changes, [`Asks: ${questions.map(({ question }) => question).join(' ')}`])
}

export async function failBuilderRun(
  sql: Sql,
  held: HeldBuilderRun,
  { code, message }: BuilderError,
  spent?: Spent,
): Promise<void> {
  const error = storableJson({ code, message })
  const changes = part`, status = 'failed', completed_at = now(), error = ${error}::jsonb, ${forgotten}${adding(spent)}`
  await write(sql, held, changes, [`Failed: ${message}`])
}

/** It stays `running`, and is not claimed before the pause is over. Answers with its end, by the database's clock. */
export async function putOff(
  sql: Sql,
  held: HeldBuilderRun,
  pauseMs: number,
  line: string,
  spent: Spent | undefined,
): Promise<Date> {
  const [put] = await sql<{ due_at: Date }>`
    update builder_runs set
      updated_at = now(), troubles = troubles + 1, due_at = now() + ${pauseMs} * interval '1 millisecond',
      progress = ${addProgress([line])}${adding(spent)}
    where id = ${held.id} and team_id = ${held.team_id} and epoch = ${held.epoch} and status = 'running' returning due_at`
  if (!put) throw new BuilderRunFenced()
  return put.due_at
}
