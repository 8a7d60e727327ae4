// Proof: whoever is killed while incidents open and close, each is told once when it opens and once when it closes, and flapping makes no other.
import { setTimeout as sleep } from 'node:timers/promises'
import { startMailServer, type ArrivedMail, type MailServer } from '../kit/mailServer.ts'
import { mailEnv } from './mails.ts'
import type { Proof } from './proof.ts'
import { bodyOf, openYard, until, type Yard } from './yard.ts'

export interface Alerted {
  rules: number
  cycles: number
  kills: number
  /** How often the signal moved around its thresholds while incidents were open. */
  flaps: number
  /** One for each rule and cycle. */
  wanted: number
  incidents: number
  /** Rows that say that an incident opened, and that it closed: both as many as there are incidents. */
  toldOpened: number
  toldClosed: number
  /** Pairs of an incident's opening or end and a member. */
  pairs: number
  /** In more than one mail, without a mail in doubt about it: must be 0. */
  twice: number
  takenTwice: number
  /** In no mail, without a mail in doubt about it: must be 0. */
  missing: number
  inDoubt: number
  /** After the mails that follow those in doubt: must be 0. */
  missingInTheEnd: number
  mails: number
}

interface Options {
  rules: number
  cycles: number
  /** Between the change of the signal and the kill, at most. */
  pauseMs: number
  flaps: number
}

const address = 'alerted@example.com'

export async function killWhileAlerting(yard: Yard, server: MailServer, options: Options): Promise<Alerted> {
  const { sql } = yard
  await addReader(yard)
  const teamId = yard.apis[0]!.teamId
  for (let n = 0; n < options.rules; n++) {
    const body = { name: `Rule ${n}`, signal: 'schedule_misses', threshold: 10, clear_threshold: 5, clear_minutes: 0 }
    bodyOf(await yard.call({ method: 'POST', path: `/v2/teams/${teamId}/alert-rules`, body }))
  }
  let kills = 0
  let flaps = 0

  /** Another worker is started before: there is always one. */
  async function kill(): Promise<void> {
    const { workers } = yard
    const next = yard.startWorker()
    await sleep(Math.random() * options.pauseMs)
    const [victim] = workers.splice(Math.floor(Math.random() * workers.length), 1)
    victim!.child.kill('SIGKILL')
    kills += 1
    workers.push(await next)
  }

  for (let cycle = 0; cycle < options.cycles; cycle++) {
    await missed(yard, 12)
    await Promise.all([kill(), untilAll(yard, 'open', options.rules)])
    for (let flap = 0; flap < options.flaps; flap++) {
      await missed(yard, flap % 2 === 0 ? 7 : 15)
      await untilMeasured(yard, options.rules)
      flaps += 1
    }
    await missed(yard, 0)
    await Promise.all([kill(), untilAll(yard, 'ok', options.rules)])
  }
  await untilMailed(yard)
  const first = pairsOf(server.arrived)
  const doubted = await sql<{ pair: string }>`
    select t.what || ' ' || t.incident_id as pair from notices n join alert_tellings t on t.id = n.subject_id where n.doubted_mail_id is not null`
  const inDoubt = new Set(doubted.map(({ pair }) => pair))
  const tellings = await sql<{ what: string; pair: string }>`
    select what, what || ' ' || incident_id as pair from alert_tellings`
  const missing = tellings.filter(({ pair }) => !first.has(pair))
  // what is in doubt is told once more after a quarter of an hour, which the proof does not wait for
  await sql`update notices set due_at = now() where due_at is not null`
  await untilMailed(yard)
  const last = pairsOf(server.arrived)
  const [{ incidents } = { incidents: '0' }] = await sql<{
    incidents: string
  }>`select count(*) as incidents from alert_incidents`
  return {
    rules: options.rules,
    cycles: options.cycles,
    kills,
    flaps,
    wanted: options.rules * options.cycles,
    incidents: Number(incidents),
    toldOpened: tellings.filter(({ what }) => what === 'opened').length,
    toldClosed: tellings.filter(({ what }) => what === 'closed').length,
    pairs: tellings.length,
    twice: [...first].filter(([pair, count]) => count > 1 && !inDoubt.has(pair)).length,
    takenTwice: server.arrived.length - new Set(server.arrived.map(({ id }) => id)).size,
    missing: missing.filter(({ pair }) => !inDoubt.has(pair)).length,
    inDoubt: inDoubt.size,
    missingInTheEnd: tellings.filter(({ pair }) => !last.has(pair)).length,
    mails: server.arrived.length,
  }
}

/** One whose address is confirmed, and who wants mails about alerts at once. */
async function addReader(yard: Yard): Promise<void> {
  const path = `/v2/teams/${yard.apis[0]!.teamId}/members`
  const body = { name: 'Alerted', email: address, role: 'viewer' }
  const { member_id: id } = bodyOf(await yard.call({ method: 'POST', path, body })) as { member_id: string }
  const wishes = { human_requests: 'off', failed_runs: 'off', connections: 'off', deliveries: 'off', alerts: 'at_once' }
  await yard.sql`update members set verified_email = email where id = ${id}`
  await yard.sql`
    insert into notification_choices (member_id, team_id, mail, browser, time_zone, digest_minute)
    select id, team_id, ${JSON.stringify(wishes)}::jsonb, '{}'::jsonb, 'UTC', 0 from members where id = ${id}`
}

/** The signal has this value from now on, in one statement: nobody measures something in between. */
async function missed({ sql }: Yard, times: number): Promise<void> {
  await sql`
    with before as (delete from schedule_misses)
    insert into schedule_misses (id, team_id, schedule_id, agent_id, reason)
    select gen_random_uuid(), r.team_id, r.team_id, r.team_id, 'late'
    from (select distinct team_id from alert_rules) r, generate_series(1, ${times}::int)`
}

/** Rules are measured twice a minute, which the proof does not wait for. */
const makeDue = ({ sql }: Yard): Promise<unknown> =>
  sql`update alert_rules set next_at = now() where next_at > now() + interval '1 second'`

async function untilAll(yard: Yard, state: 'open' | 'ok', rules: number): Promise<void> {
  const there = async () => {
    await makeDue(yard)
    const [row] = await yard.sql<{ count: string }>`select count(*) from alert_rules where state = ${state}`
    return Number(row!.count)
  }
  await until(`all rules are ${state}`, there, (count) => count === rules, { everyMs: 100, forMs: 120_000 })
}

/** Until each rule was measured after this moment. */
async function untilMeasured(yard: Yard, rules: number): Promise<void> {
  const [clock] = await yard.sql<{ now: Date }>`select now() as now`
  const measured = async () => {
    await makeDue(yard)
    const [row] = await yard.sql<{ count: string }>`select count(*) from alert_rules where measured_at > ${clock!.now}`
    return Number(row!.count)
  }
  await until('all rules are measured again', measured, (count) => count === rules, { everyMs: 100, forMs: 120_000 })
}

/** Until nothing waits to be told but what is in doubt. */
async function untilMailed({ sql }: Yard): Promise<void> {
  const left = async () =>
    Number(
      (
        await sql<{ left: string }>`
          select (select count(*) from happenings) + (select count(*) from notices where due_at <= now())
            + (select count(*) from mails where state in ('due', 'sending', 'ending')) as left`
      )[0]!.left,
    )
  await until('everything is mailed', left, (count) => count === 0, { everyMs: 100, forMs: 120_000 })
}

/** How many mails had the opening or the end of each incident. */
function pairsOf(arrived: ArrivedMail[]): Map<string, number> {
  const pairs = new Map<string, number>()
  for (const { text } of arrived) {
    for (const [, what, id] of text.matchAll(/- (Opened|Closed): .*\n.*\n.*\?incident=([0-9a-f-]{36})/g)) {
      const pair = `${what!.toLowerCase()} ${id}`
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
  }
  return pairs
}

export const isAlertedOnce = (seen: Alerted): boolean =>
  seen.twice + seen.takenTwice + seen.missing + seen.missingInTheEnd === 0 &&
  seen.wanted > 0 &&
  [seen.incidents, seen.toldOpened, seen.toldClosed].every((count) => count === seen.wanted)

export const alertProof: Proof = {
  name: 'alerts of 10 rules that open and close 30 times, workers killed 60 times, the signal flapping in between',
  must: 'one incident a rule and cycle, each in one mail when it opens and in one when it closes: 0 in two, 0 missing but those in doubt, which another mail follows',
  async run(dataDir) {
    const server = await startMailServer()
    const env = { LOG_LEVEL: 'error', ...mailEnv(server) }
    const yard = await openYard({ options: { dataDir, env }, workers: 2 })
    try {
      const counts = await killWhileAlerting(yard, server, { rules: 10, cycles: 30, pauseMs: 400, flaps: 2 })
      return { counts, holds: isAlertedOnce(counts) && counts.kills >= 50 }
    } finally {
      await yard.close()
      await server.close()
    }
  },
}
