// Proof: whoever is killed while mails are sent, each member gets one mail about each request, and nobody gets two.
import { setTimeout as sleep } from 'node:timers/promises'
import { startMailServer, type ArrivedMail, type MailServer } from '../kit/mailServer.ts'
import type { Proof } from './proof.ts'
import type { Service } from './processes.ts'
import { block, bodyOf, openYard, processIdOf, until, type Yard } from './yard.ts'

export interface Mailed {
  members: number
  requests: number
  kills: number
  /** Must be 0: a member got the same request in two mails, or the server took a mail twice. */
  twice: number
  takenTwice: number
  /** Of those that no mail in doubt was about: must be 0. */
  missing: number
  /** Told by mails whose process died in the last moment, and how many of those had arrived. */
  inDoubt: number
  inDoubtArrived: number
  /** After the mails that follow those in doubt: must be 0. */
  missingInTheEnd: number
  mails: number
  /** Members times requests. */
  wanted: number
}

interface Options {
  members: number
  requests: number
  kills: number
  /** Between the moment in which mails are on their way and the kill, at most. */
  pauseMs: number
  /** How long the mail server takes to answer, at most. */
  answerMs: number
}

export const mailEnv = ({ port }: MailServer): Record<string, string> => ({
  RUNYARD_SMTP_URL: `smtp://127.0.0.1:${port}`,
  RUNYARD_SMTP_TLS: 'off',
  RUNYARD_MAIL_FROM: 'runyard@example.com',
  RUNYARD_MAIL_GAP_S: '0',
  RUNYARD_MAILS_PER_TEAM_HOUR: '1000000',
})

export async function killWhileMailing(yard: Yard, server: MailServer, options: Options): Promise<Mailed> {
  const { sql, workers } = yard
  /** Who waits for the last moment of a mail keeps its answer back until then, so that no pause of the machine can make it miss all of them. */
  let isMet: Promise<void> | undefined
  server.onMail = async () => {
    await isMet
    await sleep(Math.random() * options.answerMs)
  }
  const members = await Promise.all(
    Array.from({ length: options.members }, (_, n) => addMember(yard, `m${n}@example.com`)),
  )
  const agentId = await yard.newAgent(block('approve', 'Go on?'))
  let kills = 0
  let asked = 0
  /** How often somebody waited for mails on their way, to kill who sends them. */
  let watches = 0

  async function kill(): Promise<void> {
    while (kills < options.kills) {
      // every second kill hits in the last moment of a mail, which is hard to meet by chance
      const isAtEnd = kills % 2 === 0
      const met = Promise.withResolvers<void>()
      isMet = isAtEnd ? met.promise : undefined
      watches += 1
      const victim = isAtEnd ? await whoEnds(yard) : await whoSends(yard, options.pauseMs)
      workers.splice(workers.indexOf(victim), 1)
      const next = yard.startWorker()
      victim.child.kill('SIGKILL')
      met.resolve()
      kills += 1
      workers.push(await next)
    }
  }

  /** As many as the watches have come: each sees mails that are on their way. */
  async function feed(): Promise<void> {
    while (asked < options.requests) {
      const due = (options.requests * watches) / options.kills
      if (asked < due) {
        await yard.startRun(agentId)
        asked += 1
      } else await sleep(10)
    }
  }

  await Promise.all([kill(), feed()])
  await untilTold(yard, options.requests)
  const first = pairsOf(server.arrived)
  const doubted = await sql<{ pair: string }>`
    select p.email || ' ' || n.subject_id as pair from notices n join members p on p.id = n.member_id where n.doubted_mail_id is not null`
  const inDoubt = new Set(doubted.map(({ pair }) => pair))
  const requests = await sql<{ id: string }>`select id from human_requests where status = 'pending'`
  const pairs = members.flatMap((email) => requests.map(({ id }) => `${email} ${id}`))
  const missing = pairs.filter((pair) => !first.has(pair))
  // what is in doubt is told once more after a quarter of an hour, which the proof does not wait for
  await sql`update notices set due_at = now() where due_at is not null`
  await untilTold(yard, options.requests)
  const last = pairsOf(server.arrived)
  return {
    members: members.length,
    requests: requests.length,
    kills,
    twice: [...first.values()].filter((count) => count > 1).length,
    takenTwice: server.arrived.length - new Set(server.arrived.map(({ id }) => id)).size,
    missing: missing.filter((pair) => !inDoubt.has(pair)).length,
    inDoubt: inDoubt.size,
    inDoubtArrived: [...inDoubt].filter((pair) => first.has(pair)).length,
    missingInTheEnd: pairs.filter((pair) => !last.has(pair)).length,
    mails: server.arrived.length,
    wanted: pairs.length,
  }
}

/** The worker that has sent, or is about to send, the end of a mail. */
async function whoEnds(yard: Yard): Promise<Service> {
  const known = new Map<string, Service>()
  for (const worker of yard.workers) known.set(await processIdOf(yard, worker), worker)
  const ending = async () =>
    (await yard.sql<{ worker: string }>`select worker from mails where state = 'ending' limit 1`)[0]?.worker
  const id = await until('a mail is being ended', ending, (worker) => worker !== undefined && known.has(worker), {
    everyMs: 1,
  })
  return known.get(id!)!
}

/** Any worker, a moment after mails began to be sent. */
async function whoSends({ sql, workers }: Yard, pauseMs: number): Promise<Service> {
  const sending = async () => (await sql`select from mails where state in ('sending', 'ending') limit 1`).length
  await until('mails are being sent', sending, (count) => count > 0, { everyMs: 1 })
  await sleep(Math.random() * pauseMs)
  return workers[Math.floor(Math.random() * workers.length)]!
}

/** One whose address is confirmed, and who wants mails about requests at once. */
async function addMember(yard: Yard, email: string): Promise<string> {
  const path = `/v2/teams/${yard.apis[0]!.teamId}/members`
  const body = { name: 'Told', email, role: 'operator' }
  const { member_id: id } = bodyOf(await yard.call({ method: 'POST', path, body })) as { member_id: string }
  const wishes = { human_requests: 'at_once', failed_runs: 'off', connections: 'off', deliveries: 'off' }
  await yard.sql`update members set verified_email = email where id = ${id}`
  await yard.sql`
    insert into notification_choices (member_id, team_id, mail, browser, time_zone, digest_minute)
    select id, team_id, ${JSON.stringify(wishes)}::jsonb, '{}'::jsonb, 'UTC', 0 from members where id = ${id}`
  return email
}

/** Until every request is there, and nothing waits to be told but what is in doubt. */
async function untilTold({ sql }: Yard, requests: number): Promise<void> {
  const left = async () =>
    (
      await sql<{ left: string }>`
        select ${requests} - (select count(*) from human_requests where status = 'pending') + (select count(*) from happenings)
          + (select count(*) from notices where due_at <= now())
          + (select count(*) from mails where state in ('due', 'sending', 'ending')) as left`
    )[0]!.left
  await until('everything is told', left, (count) => Number(count) === 0, { everyMs: 200, forMs: 300_000 })
}

/** How many mails told each request to each member. */
function pairsOf(arrived: ArrivedMail[]): Map<string, number> {
  const pairs = new Map<string, number>()
  for (const { to, text } of arrived) {
    for (const [, id] of text.matchAll(/\/inbox\?request=([0-9a-f-]{36})/g)) {
      const pair = `${to[0]} ${id}`
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
  }
  return pairs
}

export const isToldOnce = (seen: Mailed): boolean =>
  seen.twice + seen.takenTwice + seen.missing + seen.missingInTheEnd === 0 && seen.wanted > 0

export const mailProof: Proof = {
  name: 'mails about 1,000 requests to 3 members, workers killed 20 times while they send',
  must: 'each member has one mail about each request: 0 in two mails, 0 mails taken twice, 0 missing but those in doubt, which another mail follows',
  async run(dataDir) {
    const server = await startMailServer()
    const env = { LOG_LEVEL: 'error', ...mailEnv(server) }
    const yard = await openYard({ options: { dataDir, env }, workers: 3 })
    try {
      const counts = await killWhileMailing(yard, server, {
        members: 3,
        requests: 1000,
        kills: 20,
        pauseMs: 30,
        answerMs: 10,
      })
      return { counts, holds: isToldOnce(counts) && counts.kills >= 20 && counts.requests === 1000 }
    } finally {
      await yard.close()
      await server.close()
    }
  },
}
