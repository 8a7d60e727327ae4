// The files of one run in a bundle: its rows as they are sealed, its seals, and what the other features know of it.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { BundleRefused } from '../../base/evidence/writeBundle.ts'
import type { Context } from '../../kit/context.ts'
import { jsonFile, rowsAsLines, type EvidenceFile } from '../../kit/evidence.ts'
import { evidenceOf } from '../../kit/registry.ts'
import type { Scope } from '../../kit/scopes.ts'
import { ownKey } from './keys.ts'
import { eventLine, messageLine, sealText, stepLine } from './rows.ts'
import { signedText } from './seal.ts'

/** How many rows are read at a time: each may be large, and all of them are in memory. */
const rowsAtOnce = 20

export interface AskedBundle {
  sql: Sql
  context: Context
  teamId: string
  isWithContents: boolean
  /** What the caller may read. */
  scopes: ReadonlySet<Scope>
  /** A part that the caller may not read. */
  leftOut: (name: string) => void
}

/** What of a run's log is not there any more. */
export type Section = 'events' | 'steps' | 'messages'

interface RunRow {
  id: string
  team_id: string
  shown: object
  build: object | null
  config: string | null
  log_erased_at: Date | null
}

interface SealRow {
  text: string
  events_last: number
  events_rows: number
  signature_id: string
  /** Null: somebody took the signature or its key out of the database. */
  key_id: string | null
  public_key: Buffer | null
  private_key: Buffer | null
  signed_at: Date
  heads: Buffer
  signature: Buffer
}

/** All files of a run, below its folder. `erased` gets the sections that are gone. */
export async function* filesOfRun(
  asked: AskedBundle,
  runId: string,
  erased: (sections: Section[]) => void,
): AsyncGenerator<EvidenceFile> {
  const { sql, context, teamId, isWithContents, scopes, leftOut } = asked
  const isWithMembers = mayReadMembers(asked)
  const run = await readRun(sql, teamId, runId, isWithMembers)
  const seals = await readSeals(sql, runId)
  const gone = await findErased(sql, run, seals.at(-1))
  erased(gone)
  yield jsonFile('run.json', run.shown)
  if (scopes.has('agents:read')) {
    if (run.build) yield jsonFile('build.json', run.build)
    if (run.config !== null) yield { path: 'config.json', bytes: Buffer.from(run.config) }
  } else leftOut('build')
  const isThere = (section: Section) => !gone.includes(section)
  if (isThere('events')) yield { path: 'events.jsonl', rows: lines(sql, eventsOf(runId)) }
  if (isThere('steps')) yield { path: 'steps.jsonl', rows: lines(sql, stepsOf(runId)) }
  if (isThere('messages')) yield { path: 'messages.jsonl', rows: lines(sql, messagesOf(runId)) }
  // rows that are erased while they are read would look as if somebody had taken them out: such a bundle is not finished
  const goneSince = await findErased(sql, await readRun(sql, teamId, runId, isWithMembers), seals.at(-1))
  if (goneSince.length > gone.length)
    throw new BundleRefused('The log of the run was erased while its bundle was made.')
  yield { path: 'seals.jsonl', rows: sealLines(context, run.team_id, seals) }
  yield { path: 'requests.jsonl', rows: rowsAsLines(readRequests(sql, runId, isWithMembers)) }
  for (const { name, scope, files } of evidenceOf(context)) {
    if (scopes.has(scope)) yield* files({ sql, context, teamId, runId, isWithContents })
    else leftOut(name)
  }
}

/** Who the people are that an id stands for: their names and e-mail addresses. */
export const mayReadMembers = ({ scopes }: Pick<AskedBundle, 'scopes'>): boolean => scopes.has('team:read')

async function readRun(sql: Sql, teamId: string, runId: string, isWithMembers: boolean): Promise<RunRow> {
  const [run] = await sql<RunRow>`
    select r.id, r.team_id, r.log_erased_at,
      json_build_object('id', r.id, 'team_id', r.team_id, 'agent_id', r.agent_id, 'agent_name', a.name, 'build_id', r.build_id,
        'run_number', r.run_number, 'title', r.title, 'status', r.status, 'source', r.source, 'user_id', r.user_id, 'started_by', u.email,
        'case_id', r.case_id, 'parent_run_id', r.parent_run_id, 'retry_of_run_id', r.retry_of_run_id, 'metadata', r.metadata,
        'limits', r.limits, 'callback_url', r.callback_url, 'output', r.output, 'error', r.error, 'waiting_on', r.waiting_on,
        'created_at', iso(r.created_at), 'started_at', iso(r.started_at), 'completed_at', iso(r.completed_at),
        'log_erased_at', iso(r.log_erased_at), 'usage', json_build_object('steps', r.steps, 'input_tokens', r.input_tokens,
          'output_tokens', r.output_tokens, 'cost_usd', trim_scale(r.cost_usd))) as shown,
      case when b.id is not null then json_build_object('id', b.id, 'agent_id', b.agent_id, 'revision_number', b.revision_number,
        'status', b.status, 'created_at', iso(b.created_at)) end as build,
      coalesce(p.config::text, case when r.config_hash is null then b.config::text end) as config
    from runs r left join agents a on a.id = r.agent_id left join builds b on b.id = r.build_id
      left join members u on u.id = r.user_id and ${isWithMembers}
      left join pinned_configs p on p.team_id = r.team_id and p.hash = r.config_hash
    where r.id = ${runId} and r.team_id = ${teamId}`
  if (!run) throw new Fault('not_found')
  return run
}

/** A run that goes on after its end may claim another case, so a seal keeps the one that it was made over. */
const readSeals = (sql: Sql, runId: string): Promise<SealRow[]> => sql<SealRow>`
  select ${sealText} as text, n.events_last, n.events_rows, n.signature_id, k.id as key_id, k.public_key, k.private_key, g.created_at as signed_at,
    g.heads, g.signature
  from (
    select s.*, r.agent_id, r.build_id, r.source, r.user_id, r.parent_run_id, r.created_at,
      case when s.events_last < r.event_seq then s.sealed_case_id else r.case_id end as case_id
    from (
      select number, team_id, run_id, events_last, events_rows, events_link, steps_rows, steps_link, messages_rows, messages_link, config_hash,
        case_id as sealed_case_id, signature_id, lag(head) over (order by number) as before
      from run_seals where run_id = ${runId}
    ) s join runs r on r.id = s.run_id
  ) n left join evidence_signatures g on g.id = n.signature_id left join evidence_keys k on k.id = g.key_id
  order by n.number`

/** A section is erased as soon as one of its rows is: without that row, no link after it can be checked. */
async function findErased(sql: Sql, run: RunRow, seal: SealRow | undefined): Promise<Section[]> {
  if (run.log_erased_at !== null) return ['events', 'steps', 'messages']
  const { rows } = await one(sql<{ rows: number }>`
    select count(*)::int as rows from event_batches where run_id = ${run.id} and last <= ${seal?.events_last ?? 0}`)
  return rows < (seal?.events_rows ?? 0) ? ['events'] : []
}

/** A statement that gives the rows behind a number, with their numbers. */
type RowsAfter = (after: number) => Part

const rowsAfter =
  (rows: Part, place: Part, line: Part): RowsAfter =>
  (after) =>
    part`
    select ${place}::int as place, ${line} as line from ${rows} and ${place} > ${after} order by ${place} limit ${rowsAtOnce}`

const eventsOf = (runId: string) => rowsAfter(part`event_batches b where b.run_id = ${runId}`, part`b.last`, eventLine)

const stepsOf = (runId: string) => rowsAfter(part`run_steps s where s.run_id = ${runId}`, part`s.seq`, stepLine)

const messagesOf = (runId: string) =>
  rowsAfter(part`run_messages m where m.run_id = ${runId}`, part`m.seq`, messageLine)

async function* lines(sql: Sql, next: RowsAfter): AsyncGenerator<string> {
  let page: { place: number; line: string }[] = []
  do {
    page = await sql<{ place: number; line: string }>`${next(page.at(-1)?.place ?? 0)}`
    for (const { line } of page) yield line
  } while (page.length === rowsAtOnce)
}

async function* sealLines(context: Context, teamId: string, seals: SealRow[]): AsyncGenerator<string> {
  for (const seal of seals) yield JSON.stringify({ seal: seal.text, signature: signatureOf(context, teamId, seal) })
}

/** Null: there is none with a key of this installation. */
function signatureOf(context: Context, teamId: string, seal: SealRow): object | null {
  const { signature_id, key_id: id, public_key, private_key, signed_at, heads, signature } = seal
  const key = id !== null && public_key && private_key && ownKey(context, { id, public_key, private_key })
  if (!key) return null
  return {
    text: signedText({ id: signature_id, team_id: teamId, key_id: key.id, at: signed_at, heads }),
    signature: signature.toString('base64'),
    public_key: key.publicKey.toString('base64'),
  }
}

/** With the names of those who answered: an id says nothing to whoever reads a bundle. */
const readRequests = (sql: Sql, runId: string, isWithMembers: boolean) => sql<{ line: string }>`
  select json_build_object('id', h.id, 'step', h.step, 'type', h.type, 'title', h.title, 'description', h.description, 'questions', h.questions,
    'form_schema', h.form_schema, 'action', h.action, 'status', h.status, 'response', h.response, 'responded_by', h.responded_by,
    'responded_by_name', u.name, 'responded_by_email', u.email, 'responded_at', iso(h.responded_at), 'expires_at', iso(h.expires_at),
    'on_timeout', h.on_timeout, 'assignee_user_id', h.assignee_user_id, 'approvals_needed', h.approvals_needed, 'approvals', h.approvals,
    'created_at', iso(h.created_at))::text as line
  from human_requests h left join members u on u.id = h.responded_by and ${isWithMembers} where h.run_id = ${runId} order by h.id`
