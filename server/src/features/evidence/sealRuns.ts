// Seals the logs of ended runs, many in one transaction, and signs the heads of each team together.
import { plainColumn } from '../../base/columns.ts'
import { one, part, queryCanceled, sqlState, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { sealLock } from '../../base/locks.ts'
import { recordSignatures } from '../../kit/audit.ts'
import type { Context } from '../../kit/context.ts'
import { oldestOpen } from '../../kit/eventPositions.ts'
import type { Tick } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { configHashes } from './configHashes.ts'
import { keyInUse } from './keys.ts'
import { bytesOfLog, linksInParts, linksOf, rowsIn } from './linkRows.ts'
import { digestOf, sealText } from './rows.ts'
import { sha256Of, signedText } from './seal.ts'

/** How many runs share a transaction, and how many bytes of their rows. A run with more is alone, and this many bytes of it are read at a time. */
interface Share {
  runs: number
  bytes: number
}

const usualShare: Share = { runs: 500, bytes: 8 * 1024 ** 2 }

/**
 * Each session plans a statement once instead of six times: no value that is given here makes another plan better. And it does what the
 * estimates advise against: it knows neither that each run is looked up once, nor that its few rows come in order from their index.
 */
const planSettings = part`set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_memoize', 'off', true),
  set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`

/** The condition of the index of ended runs. */
const hasEnded = part`completed_at is not null and ended_xid is not null`

/** Only the last entry of the index is read, whatever is known of how many there are. */
const asked = {
  isDue: part`coalesce((
    select (last.ended_xid, last.id) > (c.xid, c.run_id) from evidence_cursor c,
      lateral (select ended_xid, id from runs where ${hasEnded} order by ended_xid desc, id desc limit 1) last
    where c.is_only), false)`,
}

/**
 * What is stored says little of a text that repeats itself, which may be hundreds of times as long. So a share that takes too long is tried again as
 * an eighth of it, in the end row by row, and grows while that goes well. A row has some megabytes at most, so no run is passed over.
 */
export const sealEnded: Tick = async ({ context, signal }) => {
  const { isDue } = await lookFor(context, asked)
  if (!isDue) return
  let parts = 1
  for (let isMore = true; isMore && !signal.aborted;) {
    const share = { runs: Math.ceil(usualShare.runs / parts), bytes: Math.ceil(usualShare.bytes / parts) }
    try {
      isMore = await sealSome(context, share, signal)
      parts = Math.max(1, Math.floor(parts / 2))
    } catch (error) {
      if (signal.aborted) return
      if (sqlState(error) !== queryCanceled || rowsIn(share.bytes) === 1) throw error
      context.log.warn({ err: error, ...share }, 'logs could not be sealed in time; will try fewer at once')
      parts *= 8
    }
  }
}

/**
 * One transaction; answers whether there is more to seal. Whoever gets the lock seals, and the others leave it to them. What takes long is to read,
 * and while it reads the transaction has no number, so nobody's events wait for it.
 */
export async function sealSome(context: Context, share = usualShare, signal?: AbortSignal): Promise<boolean> {
  // asked before the snapshots: they see everything of older transactions
  const { xid: oldest } = await oldestOpen(context.db.sql)
  return context.db.transaction(async (sql) => {
    const { is_mine } = await one(sql<{ is_mine: boolean }>`
      select pg_try_advisory_xact_lock(${sealLock}) as is_mine, ${planSettings}`)
    if (!is_mine) return false
    const { runs, isLong, isMore } = await readEnded(sql, oldest, share)
    const [first] = runs
    if (!first) return false
    const hashOf = await configHashes(context, sql, runs)
    const signatures = new Map(runs.map(({ team_id }) => [team_id, newId()]))
    const toLink = runs.map((run) => ({ ...run, config: hashOf(run), signature_id: signatures.get(run.team_id)! }))
    const links = isLong ? await linksInParts(sql, toLink[0]!, share.bytes, signal) : linksOf(toLink)
    await signAll(context, sql, signatures, await writeSeals(sql, links, oldest, runs.at(-1)!))
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

/**
 * The next ended runs in the order of the transactions that wrote their last events, as far as nothing can come between. What stands behind more
 * rows than a share has is not measured: otherwise the rows of 500 long runs would be counted to seal the first.
 */
async function readEnded(sql: Sql, oldest: number, share: Share) {
  const rows = rowsIn(share.bytes)
  const found = await sql<Ended & { bytes: number | null }>`
    select r.id, r.team_id, r.build_id, r.config_hash, r.ended_xid, r.event_seq, case when r.rows <= ${rows}::int then ${bytesOfLog} end::float8 as bytes
    from (
      select *, sum(event_seq + steps) over (order by ended_xid, id rows unbounded preceding) as rows
      from (
        select id, team_id, build_id, config_hash, ended_xid, event_seq, steps
        from runs where ${hasEnded} and (ended_xid, id) > (select xid, run_id from evidence_cursor) and ended_xid < ${oldest}::bigint
        order by ended_xid, id limit ${share.runs}) ended
    ) r order by r.ended_xid, r.id`
  let bytes = 0
  const past = found.findIndex((run) => (bytes += run.bytes ?? Infinity) > share.bytes)
  return {
    runs: past < 0 ? found : found.slice(0, Math.max(1, past)),
    isLong: past === 0,
    isMore: past >= 0 || found.length === share.runs,
  }
}

/** A seal for each run with these links, and how far all are sealed then. Gives the heads of each signature. */
const writeSeals = (sql: Sql, links: Part, oldest: number, last: Ended): Promise<Heads[]> => sql<Heads>`
  with linked as materialized (${links}),
  -- to write the first row gives the transaction its number: whoever asks how many there are has them all
  made as materialized (select count(*) as links from linked),
  sealed as (
    insert into run_seals (run_id, number, team_id, events_last, events_rows, events_link, steps_last, steps_rows, steps_link, messages_rows,
      messages_link, config_hash, case_id, head, signature_id)
    select n.run_id, n.number, n.team_id, n.events_last, n.events_rows, n.events_link, n.steps_last, n.steps_rows, n.steps_link, n.messages_rows,
      n.messages_link, n.config_hash, n.case_id, ${digestOf(sealText)}, n.signature_id
    from (
      select d.*, r.team_id, r.agent_id, r.build_id, r.source, r.user_id, r.case_id, r.parent_run_id, r.created_at
      from linked d cross join lateral (select * from runs where id = d.run_id offset 0) r
      -- what has gone on meanwhile, and may have ended again, comes later; what was erased cannot be read any more, and has the seal that it got before
      where r.completed_at is not null and r.event_seq = d.events_last and r.ended_xid < ${oldest}::bigint and r.log_erased_at is null
        and (select links from made) > 0
    ) n
    returning signature_id, head
  ),
  moved as (update evidence_cursor set xid = ${last.ended_xid}, run_id = ${last.id} where (select links from made) >= 0)
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
