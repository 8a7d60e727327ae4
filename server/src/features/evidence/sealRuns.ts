// Seals the logs of ended runs, many in one statement, and signs the heads of each team together.
import { plainColumn } from '../../base/columns.ts'
import { part, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { recordSignatures } from '../../kit/audit.ts'
import type { Context } from '../../kit/context.ts'
import { oldestOpen } from '../../kit/eventPositions.ts'
import type { Tick } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { configHashes } from './configHashes.ts'
import { keyInUse } from './keys.ts'
import { cutMessages, digestOf, eventLine, mayBeCut, messageLine, sealText, stepLine } from './rows.ts'
import { sha256Of, signedText } from './seal.ts'

/** How many runs share a transaction, and about how many events: a run with more of them is the last of its transaction. */
interface Share {
  runs: number
  events: number
}

const usualShare: Share = { runs: 500, events: 5000 }
/** How long the statement may take that reads more events than that. */
const longStatementMs = 600_000

/**
 * Each session plans a statement once instead of six times: no value that is given here makes another plan better. And it does what the
 * estimates advise against: it knows neither that each run is looked up once, nor that its few rows come in order from their index.
 */
const planSettings = part`set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_memoize', 'off', true),
  set_config('enable_sort', 'off', true)`

/** The condition of the index of ended runs. */
const hasEnded = part`completed_at is not null and ended_xid is not null`

/** Only the last entry of the index is read, whatever is known of how many there are. */
const asked = {
  isDue: part`coalesce((
    select (last.ended_xid, last.id) > (c.xid, c.run_id) from evidence_cursor c,
      lateral (select ended_xid, id from runs where ${hasEnded} order by ended_xid desc, id desc limit 1) last
    where c.is_only), false)`,
}

export const sealEnded: Tick = async ({ context, signal }) => {
  const { isDue } = await lookFor(context, asked)
  if (!isDue) return
  while (!signal.aborted && (await sealSome(context))) continue
}

interface Cursor {
  xid: number
  run_id: string
}

/**
 * One transaction; answers whether there is more to seal. Whoever holds the row of the cursor seals, and the others leave it to them. Every
 * statement behind that one sees what the last holder has committed, and the one that seals sees each run with its rows as they were at one
 * moment: a run that goes on meanwhile is sealed when it has ended again.
 */
export async function sealSome(context: Context, share = usualShare): Promise<boolean> {
  // asked before the snapshots: they see everything of older transactions
  const { xid: oldest } = await oldestOpen(context.db.sql)
  return context.db.transaction(async (sql) => {
    const [cursor] = await sql<Cursor>`select xid, run_id, ${planSettings} from evidence_cursor for update skip locked`
    const { runs, isMore } = cursor ? await readEnded(sql, cursor, oldest, share) : { runs: [], isMore: false }
    if (runs.length === 0) return false
    const hashOf = await configHashes(context, sql, runs)
    if (runs.reduce((all, { event_seq }) => all + event_seq, 0) > share.events)
      await sql`select set_config('statement_timeout', ${String(longStatementMs)}, true)`
    const signatures = new Map(runs.map(({ team_id }) => [team_id, newId()]))
    const toSeal = part`unnest(${plainColumn(runs.map(({ id }) => id))}::uuid[], ${plainColumn(runs.map(hashOf))}::text[],
      ${plainColumn(runs.map(({ team_id }) => signatures.get(team_id)))}::uuid[]) as d (run_id, config, signature_id)`
    const heads = await writeSeals(sql, toSeal, oldest, runs.at(-1)!)
    await signAll(context, sql, signatures, heads)
    return isMore
  })
}

interface Ended {
  id: string
  team_id: string
  build_id: string
  config_hash: string | null
  ended_xid: number
  event_seq: number
}

/** The next ended runs in the order of the transactions that wrote their last events, as far as nothing can come between. */
async function readEnded(
  sql: Sql,
  { xid, run_id }: Cursor,
  oldest: number,
  share: Share,
): Promise<{ runs: Ended[]; isMore: boolean }> {
  const found = await sql<Ended>`
    select id, team_id, build_id, config_hash, ended_xid, event_seq
    from runs where ${hasEnded} and (ended_xid, id) > (${xid}::bigint, ${run_id}::uuid) and ended_xid < ${oldest}::bigint
    order by ended_xid, id limit ${share.runs}`
  let events = 0
  const past = found.findIndex(({ event_seq }) => {
    const isFull = events >= share.events
    events += event_seq
    return isFull
  })
  const runs = past < 0 ? found : found.slice(0, past)
  return { runs, isMore: past >= 0 || found.length === share.runs }
}

/** The link before the first row. */
const zero = part`'\\x0000000000000000000000000000000000000000000000000000000000000000'::bytea`

/** How many rows there are, and the link after the last of them, behind the link `before` where a run has been sealed before. */
const linked = (before: Part, line: Part, place: Part): Part => part`
  count(*)::int as rows, link_over(coalesce(${before}, ${zero}), ${digestOf(line)} order by ${place}) as link`

/** The events of the run `r` behind its last seal `l`, each with its line, which is made once. */
const newEvents = part`(
  select b.last, b.entries, ${eventLine} as line from event_batches b
  where b.run_id = r.id and b.last > coalesce(l.events_last, 0) and b.last <= r.event_seq order by b.last offset 0
) b`

/** A seal for each of these runs, if it has new events, and how far all are sealed then. Gives the heads of each signature. */
const writeSeals = (sql: Sql, toSeal: Part, oldest: number, last: Ended): Promise<Heads[]> => sql<Heads>`
  with sealed as (
    insert into run_seals (run_id, number, team_id, events_last, events_rows, events_link, steps_last, steps_rows, steps_link, messages_rows,
      messages_link, config_hash, case_id, head, signature_id)
    select n.run_id, n.number, n.team_id, n.events_last, n.events_rows, n.events_link, n.steps_last, n.steps_rows, n.steps_link, n.messages_rows,
      n.messages_link, n.config_hash, n.case_id, ${digestOf(sealText)}, n.signature_id
    from (
      select r.id as run_id, r.team_id, r.agent_id, r.build_id, r.source, r.user_id, r.case_id, r.parent_run_id, r.created_at,
        d.signature_id, decode(d.config, 'hex') as config_hash, coalesce(l.number, 0) + 1 as number, l.head as before,
        r.event_seq as events_last, coalesce(l.events_rows, 0) + e.rows as events_rows, e.link as events_link,
        coalesce(s.last, l.steps_last, 0) as steps_last, coalesce(l.steps_rows, 0) + s.rows as steps_rows,
        coalesce(s.link, l.steps_link, ${zero}) as steps_link,
        coalesce(l.messages_rows, 0) + m.rows as messages_rows, coalesce(m.link, l.messages_link, ${zero}) as messages_link
      from ${toSeal}
      cross join lateral (select * from runs where id = d.run_id offset 0) r
      left join lateral (select * from run_seals where run_id = r.id order by number desc limit 1) l on true
      cross join lateral (
        select ${linked(part`l.events_link`, part`b.line`, part`b.last`)}, bool_or(${mayBeCut(part`b.line`)}) as may_be_cut from ${newEvents}
      ) e
      cross join lateral (
        select ${linked(part`l.steps_link`, stepLine, part`s.seq`)}, max(s.seq) as last
        from run_steps s where s.run_id = r.id and s.seq > coalesce(l.steps_last, 0)
      ) s
      -- the messages that the new events show only in part; there are few
      cross join lateral (
        select ${linked(part`l.messages_link`, messageLine, part`m.seq`)} from run_messages m
        where e.may_be_cut and m.run_id = r.id
          and m.seq = any(array(select cut.seq from ${newEvents} cross join lateral (${cutMessages}) cut where ${mayBeCut(part`b.line`)}))
      ) m
      -- what has gone on meanwhile, and may have ended again, comes later; what was erased cannot be read any more, and has the seal that it got before
      where r.completed_at is not null and r.ended_xid < ${oldest}::bigint and r.log_erased_at is null
        -- an event that came to an ended run is its own reason for a seal; without one there is nothing new
        and e.rows > 0
    ) n
    returning signature_id, head
  ),
  moved as (update evidence_cursor set xid = ${last.ended_xid}, run_id = ${last.id})
  select signature_id, string_agg(head, '') as heads from sealed group by signature_id`

interface Heads {
  signature_id: string
  heads: Buffer
}

/** The signature of each team, and the entry of the audit log that names it. */
async function signAll(context: Context, sql: Sql, signatures: Map<string, string>, all: Heads[]): Promise<void> {
  if (all.length === 0) return
  const key = await keyInUse(context, sql)
  const at = context.clock.now()
  const teamOf = new Map([...signatures].map(([teamId, id]) => [id, teamId]))
  const signed = all.map(({ signature_id: id, heads }) => {
    const teamId = teamOf.get(id)!
    const text = signedText({ id, team_id: teamId, key_id: key.id, at, heads })
    return { id, teamId, heads, signature: key.sign(text), hash: sha256Of(text) }
  })
  await sql`
    insert into evidence_signatures (id, team_id, key_id, created_at, heads, signature)
    select g.id, g.team_id, ${key.id}::text, ${at}::timestamptz, g.heads, g.signature
    from unnest(${plainColumn(signed.map(({ id }) => id))}::uuid[], ${plainColumn(signed.map(({ teamId }) => teamId))}::uuid[],
      ${signed.map(({ heads }) => heads)}::bytea[], ${signed.map(({ signature }) => signature)}::bytea[]) as g (id, team_id, heads, signature)`
  await recordSignatures(sql, signed)
}
