// Seals the logs of ended runs, many in one transaction: reads the digests of their rows, links them, and signs the heads of each team together.
import { plainColumn } from '../../base/columns.ts'
import { part, type Part, type Sql } from '../../base/db.ts'
import { linkOver, zeroLink } from '../../base/evidence/links.ts'
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { oldestOpen } from '../../kit/eventPositions.ts'
import type { Tick } from '../../kit/feature.ts'
import { recordSignature } from '../../kit/audit.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { configHashes } from './configHashes.ts'
import { keyInUse, type SigningKey } from './keys.ts'
import { cutMessages, digestOf, eventLine, mayBeCut, messageLine, stepLine } from './rows.ts'
import { headOf, sealText, signedText, type Linked, type Seal, type SealedRun } from './seal.ts'

/** How many runs share a transaction. */
const runsAtOnce = 500
/** The rows of a longer log are read in pieces of so many, so that no statement takes long. */
const rowsAtOnce = 1000

/** Only the last entry of the index is read, whatever is known of how many there are. */
const asked = {
  isDue: part`coalesce((
    select (last.event_xid, last.id) > (c.xid, c.run_id) from evidence_cursor c,
      lateral (select event_xid, id from runs where completed_at is not null order by event_xid desc, id desc limit 1) last
    where c.is_only), false)`,
}

export const sealEnded: Tick = async ({ context, signal }) => {
  const { isDue } = await lookFor(context, asked)
  if (!isDue) return
  while (!signal.aborted && (await sealSome(context)) === runsAtOnce) continue
}

interface Cursor {
  xid: number
  run_id: string
}

/** One transaction; answers with how many runs it had. Whoever holds the row of the cursor seals, and the others leave it to them. */
export async function sealSome(context: Context): Promise<number> {
  // asked before the snapshot: it sees everything of older transactions
  const { xid: oldest } = await oldestOpen(context.db.sql)
  return context.db.transaction(async (sql) => {
    // all statements see the runs as they were at one moment: a run that goes on meanwhile is sealed when it has ended again
    await sql`set transaction isolation level repeatable read`
    const [cursor] = await sql<Cursor>`select xid, run_id from evidence_cursor for update skip locked`
    const ended = cursor ? await readEnded(sql, cursor, oldest) : []
    if (ended.length === 0) return 0
    const sealed = await sealAll(context, sql, ended)
    for (const [teamId, ofTeam] of Map.groupBy(sealed, ({ run }) => run.team_id)) {
      await writeSeals(sql, await keyInUse(context, sql), teamId, ofTeam)
    }
    const last = ended.at(-1)!
    await sql`update evidence_cursor set xid = ${last.event_xid}, run_id = ${last.id}`
    return ended.length
  })
}

/** The seal that a run has already, where it went on after an end. */
interface LastSeal {
  number: number
  events_last: number
  events_rows: number
  events_link: Buffer
  steps_last: number
  steps_rows: number
  steps_link: Buffer
  messages_rows: number
  messages_link: Buffer
  head: Buffer
}

interface Ended extends SealedRun {
  event_xid: number
  event_seq: number
  config_hash: string | null
  log_erased_at: Date | null
  last: LastSeal | undefined
}

/** In the order of the transactions that wrote their last events, as far as nothing can come between. */
async function readEnded(sql: Sql, { xid, run_id }: Cursor, oldest: number): Promise<Ended[]> {
  const runs = await sql<Omit<Ended, 'last'>>`
    select id, team_id, agent_id, build_id, source, user_id, case_id, parent_run_id, created_at, event_xid, event_seq, config_hash, log_erased_at
    from runs where completed_at is not null and (event_xid, id) > (${xid}::bigint, ${run_id}::uuid)
      and event_xid < ${oldest}::bigint
    order by event_xid, id limit ${runsAtOnce}`
  if (runs.length === 0) return []
  const seals = await sql<LastSeal & { run_id: string }>`
    select s.* from unnest(${plainColumn(runs.map(({ id }) => id))}::uuid[]) as r (id)
    cross join lateral (select * from run_seals where run_id = r.id order by number desc limit 1) s`
  const lastOf = new Map(seals.map((seal) => [seal.run_id, seal]))
  return runs.map((run) => ({ ...run, last: lastOf.get(run.id) }))
}

interface SealedNow {
  run: Ended
  seal: Seal & { stepsLast: number }
  head: Buffer
}

async function sealAll(context: Context, sql: Sql, ended: Ended[]): Promise<SealedNow[]> {
  // what was erased cannot be read any more, and has the seal that it got before
  const runs = ended.filter(({ log_erased_at }) => log_erased_at === null)
  const configs = await configHashes(context, sql, runs)
  const events = await readEvents(sql, runs)
  const steps = await readSteps(sql, runs)
  const messages = await readCutMessages(
    sql,
    runs.filter(({ id }) => events.get(id)?.may_be_cut),
  )
  return runs.flatMap((run) => {
    const { last } = run
    const newEvents = events.get(run.id)
    // an event that came to an ended run is its own reason for a seal; without one there is nothing new
    if (!newEvents) return []
    const newSteps = steps.get(run.id)
    const seal = {
      number: (last?.number ?? 0) + 1,
      configHash: configs(run),
      events: { ...linked(last?.events_rows, last?.events_link, newEvents), last: run.event_seq },
      steps: linked(last?.steps_rows, last?.steps_link, newSteps),
      stepsLast: newSteps?.last ?? last?.steps_last ?? 0,
      messages: linked(last?.messages_rows, last?.messages_link, messages.get(run.id)),
      before: last?.head ?? null,
    }
    return [{ run, seal, head: headOf(sealText(run, seal)) }]
  })
}

interface NewRows {
  /** 32 bytes for each row, in their order. */
  digests: Buffer
}

function linked(rows = 0, link: Buffer = zeroLink, added: NewRows | undefined): Linked {
  const digests = added?.digests ?? Buffer.alloc(0)
  return { rows: rows + digests.length / zeroLink.length, link: linkOver(link, digests) }
}

/** New rows of one run, as far as one statement read them. */
interface Piece extends NewRows {
  id: string
  rows: number
  last: number
  may_be_cut: boolean
}

interface Unread {
  id: string
  after: number
  until: number
}

/** Reads the new rows of runs: of all of them together, then of those that have more. */
async function readPieces(unread: Unread[], read: (unread: Part) => Promise<Piece[]>): Promise<Map<string, Piece>> {
  const found = new Map<string, Piece>()
  for (let rest = unread; rest.length > 0;) {
    const pieces = await read(part`unnest(${plainColumn(rest.map(({ id }) => id))}::uuid[],
      ${plainColumn(rest.map(({ after }) => after))}::int[], ${plainColumn(rest.map(({ until }) => until))}::int[]) as r (id, after, until)`)
    const whole = new Map(rest.map((one) => [one.id, one]))
    rest = []
    for (const piece of pieces) {
      const { digests, may_be_cut } = found.get(piece.id) ?? { digests: Buffer.alloc(0), may_be_cut: false }
      found.set(piece.id, {
        ...piece,
        digests: Buffer.concat([digests, piece.digests]),
        may_be_cut: may_be_cut || piece.may_be_cut,
      })
      if (piece.rows === rowsAtOnce) rest.push({ ...whole.get(piece.id)!, after: piece.last })
    }
  }
  return found
}

const readEvents = (sql: Sql, runs: Ended[]): Promise<Map<string, Piece>> =>
  readPieces(
    runs.map(({ id, last, event_seq }) => ({ id, after: last?.events_last ?? 0, until: event_seq })),
    (unread) => sql<Piece>`
      select r.id, string_agg(b.digest, '' order by b.last) as digests, count(*)::int as rows, max(b.last)::int as last,
        bool_or(b.may_be_cut) as may_be_cut
      from ${unread} cross join lateral (
        select b.last, ${digestOf(eventLine)} as digest, ${mayBeCut} as may_be_cut from event_batches b
        where b.run_id = r.id and b.last > r.after and b.last <= r.until order by b.last limit ${rowsAtOnce}
      ) b group by r.id`,
  )

const readSteps = (sql: Sql, runs: Ended[]): Promise<Map<string, Piece>> =>
  readPieces(
    runs.map(({ id, last }) => ({ id, after: last?.steps_last ?? 0, until: stepMax })),
    (unread) => sql<Piece>`
      select r.id, string_agg(s.digest, '' order by s.seq) as digests, count(*)::int as rows, max(s.seq) as last, false as may_be_cut
      from ${unread} cross join lateral (
        select s.seq, ${digestOf(stepLine)} as digest from run_steps s
        where s.run_id = r.id and s.seq > r.after order by s.seq limit ${rowsAtOnce}
      ) s group by r.id`,
  )

const stepMax = 2_147_483_647

/** The messages that the new events of these runs show only in part. There are few. */
async function readCutMessages(sql: Sql, runs: Ended[]): Promise<Map<string, NewRows>> {
  const found = new Map<string, NewRows>()
  for (const { id, last, event_seq } of runs) {
    const rows = await sql<{ digest: Buffer }>`
      select ${digestOf(messageLine)} as digest from run_messages m where m.run_id = ${id} and m.seq in (
        select cut.seq from event_batches b cross join lateral (${cutMessages}) cut
        where b.run_id = ${id} and b.last > ${last?.events_last ?? 0} and b.last <= ${event_seq} and ${mayBeCut})
      order by m.seq`
    found.set(id, { digests: Buffer.concat(rows.map(({ digest }) => digest)) })
  }
  return found
}

/** The seals of one team, their signature, and the entry of the audit log that names it. */
async function writeSeals(sql: Sql, key: SigningKey, teamId: string, sealed: SealedNow[]): Promise<void> {
  const signed = { id: newId(), team_id: teamId, key_id: key.id, at: new Date(), heads: sealed.map(({ head }) => head) }
  const text = signedText(signed)
  const seals = sealed.map(({ seal }) => seal)
  await sql`
    insert into run_seals (run_id, number, team_id, events_last, events_rows, events_link, steps_last, steps_rows, steps_link, messages_rows,
      messages_link, config_hash, head, signature_id)
    select s.run_id, s.number, ${teamId}, s.events_last, s.events_rows, s.events_link, s.steps_last, s.steps_rows, s.steps_link, s.messages_rows,
      s.messages_link, s.config_hash, s.head, ${signed.id}
    from unnest(${plainColumn(sealed.map(({ run }) => run.id))}::uuid[], ${plainColumn(seals.map(({ number }) => number))}::int[],
      ${plainColumn(seals.map(({ events }) => events.last))}::int[], ${plainColumn(seals.map(({ events }) => events.rows))}::int[],
      ${seals.map(({ events }) => events.link)}::bytea[], ${plainColumn(seals.map(({ stepsLast }) => stepsLast))}::int[],
      ${plainColumn(seals.map(({ steps }) => steps.rows))}::int[], ${seals.map(({ steps }) => steps.link)}::bytea[],
      ${plainColumn(seals.map(({ messages }) => messages.rows))}::int[], ${seals.map(({ messages }) => messages.link)}::bytea[],
      ${seals.map(({ configHash }) => configHash)}::bytea[], ${signed.heads}::bytea[])
      as s (run_id, number, events_last, events_rows, events_link, steps_last, steps_rows, steps_link, messages_rows, messages_link, config_hash,
        head)`
  await sql`
    insert into evidence_signatures (id, team_id, key_id, created_at, heads, signature)
    values (${signed.id}, ${teamId}, ${key.id}, ${signed.at}, ${Buffer.concat(signed.heads)}, ${key.sign(text)})`
  await recordSignature(sql, teamId, headOf(text).toString('hex'))
}
