// Notifications as members meet them: what they choose, what they are mailed, once, and what they are not.
import assert from 'node:assert/strict'
import { after, beforeEach } from 'node:test'
import { startMailServer } from '../../../test/kit/mailServer.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import { issueApiKey } from '../credentials/apiKey.ts'
import { drainMails } from './mailer.ts'
import { spreadHappenings } from './spread.ts'
import { beginEnding, formMails, markSent, settleLost, takeMails } from './outbox.ts'

const inbox = await startMailServer()
after(() => inbox.close())
const smtp = { host: '127.0.0.1', port: inbox.port, isTls: false, user: undefined, password: undefined }
const mailFrom = { name: 'Runyard', address: 'runyard@example.com' }
const service = await testApp({
  config: { smtp, mailFrom, smtpTls: 'off', smtpTimeoutS: 5, mailGapS: 0, publicUrl: 'https://yard.example.com' },
})
const { context } = service
const { sql } = context.db
/** What other tests left is not told in this one. */
beforeEach(async () => {
  await drainMails(context)
  inbox.arrived.splice(0)
})

const wanted: object = {
  human_requests: 'at_once',
  failed_runs: 'at_once',
  connections: 'at_once',
  deliveries: 'at_once',
}

interface Told {
  memberId: string
  key: string
  email: string
}

let people = 0
/** A member with a confirmed address who wants to be told everything at once. */
async function tell(team: TestTeam, { role = 'admin', mail = wanted } = {}): Promise<Told> {
  const address = `member${people++}@example.com`
  const body = { name: 'Told', email: address, role }
  const { member_id: memberId } = (await team.call('POST /v2/teams/:teamId/members', { body })).body
  const { secret: key } = await issueApiKey(sql, { teamId: team.id, memberId, name: 'told', scopes: ['*'] })
  await sql`update members set verified_email = email where id = ${memberId} and team_id = ${team.id}`
  await team.call('PATCH /v2/profile/notifications', { key, body: { mail } })
  return { memberId, key, email: address }
}

async function startedRun(team: TestTeam): Promise<string> {
  const body = { agent_id: await seeders['agent']!(team, {}), message: 'Order paper' }
  return (await team.call('POST /v2/teams/:teamId/runs', { body })).body.run_id
}

const ask = (team: TestTeam) => seeders['request']!(team, {})

proves('notifications.choices', 'choices are read, changed in part and refused when they make no sense', async () => {
  const team = await seedTeam(service)
  const before = (await team.call('GET /v2/profile/notifications')).body
  assert.equal(before.notifications.mail.human_requests, 'off')
  assert.equal(before.mailbox.state, 'no_address')
  const patch = (body: object) => team.call('PATCH /v2/profile/notifications', { body })
  await patch({ mail: { human_requests: 'at_once' }, time_zone: 'Europe/Berlin' })
  const { body } = await patch({ mail: { failed_runs: 'digest' }, quiet_from: '22:00', quiet_until: '07:00' })
  assert.deepEqual(body.notifications, {
    mail: { human_requests: 'at_once', failed_runs: 'digest', connections: 'off', deliveries: 'off', alerts: 'off' },
    browser: { human_requests: true, failed_runs: false, connections: false, deliveries: false, alerts: true },
    time_zone: 'Europe/Berlin',
    digest_time: '08:00',
    quiet_from: '22:00',
    quiet_until: '07:00',
  })
  for (const bad of [
    { time_zone: 'Mars/Olympus' },
    { quiet_from: null },
    { quiet_from: '07:00' },
    { digest_time: '24:00' },
    { mail: { human_requests: 'always' } },
  ]) {
    assert.equal((await patch(bad)).status, 400, JSON.stringify(bad))
  }
})

proves(
  ['notifications.told', 'notifications.once', 'mail.message'],
  'one mail says that a request waits, a run failed, a connection broke and deliveries fail, as text, with links',
  async () => {
    const team = await seedTeam(service, { name: 'Night <b>crew</b>' })
    const told = await tell(team)
    const request = await ask(team)
    await sql`update human_requests set title = ${'<script>alert(1)</script>'} where id = ${request} and team_id = ${team.id}`
    const run = await startedRun(team)
    await sql`update runs set status = 'failed', error = '{"message": "No <paper>"}' where id = ${run} and team_id = ${team.id}`
    const connection = await seeders['connection']!(team, {})
    await sql`update connections set status = 'action_required', broken_reason = 'refused' where id = ${connection} and team_id = ${team.id}`
    const webhook = await seeders['subscription']!(team, {})
    await sql`update delivery_targets set failures = 5 where id = ${webhook} and team_id = ${team.id}`
    await drainMails(context)
    const [mail, ...more] = inbox.arrived
    assert.deepEqual([mail!.to, more.length], [[told.email], 0])
    assert.equal(mail!.headers['subject'], '4 things need a look')
    for (const path of [
      `/inbox?request=${request}`,
      `/runs/${run}`,
      `/connections/${connection}`,
      `/events?tab=deliveries&receiver=${webhook}`,
    ]) {
      assert.ok(mail!.text.includes(`https://yard.example.com${path}\n`), path)
      assert.ok(mail!.html.includes(`<a href="https://yard.example.com${path.replace('&', '&amp;')}">`), path)
    }
    assert.match(mail!.text, /<script>alert\(1\)<\/script>/)
    assert.doesNotMatch(mail!.html, /<script|<paper|<b>/)
    assert.match(mail!.text, /hooks\.example\.com\n {2}5 failures in a row/)
    assert.doesNotMatch(mail!.text, /\/seed/)
    await drainMails(context)
    assert.equal(inbox.arrived.length, 1)
    const { mails } = (await team.call('GET /v2/profile/mails', { key: told.key })).body
    assert.deepEqual([mails[0].state, mails[0].notices, mails[0].attempts], ['sent', 4, 1])
  },
)

proves(
  'notifications.told',
  'no mail goes to whom it is not for: another assignee, a viewer, an address that is not confirmed, a removed member',
  async () => {
    const team = await seedTeam(service)
    const assignee = await tell(team, { role: 'operator' })
    const viewer = await tell(team, { role: 'viewer' })
    const removed = await tell(team)
    const moved = await tell(team)
    await team.call(`DELETE /v2/teams/:teamId/members/${removed.memberId}`)
    const to = (email: string) => team.call(`PATCH /v2/teams/:teamId/members/${moved.memberId}`, { body: { email } })
    await to('somebody@example.com')
    const request = await ask(team)
    await sql`update human_requests set assignee_user_id = ${assignee.memberId} where id = ${request} and team_id = ${team.id}`
    const connection = await seeders['connection']!(team, {})
    await sql`
      update connections set status = 'action_required', shared = false, user_id = ${viewer.memberId}
      where id = ${connection} and team_id = ${team.id}`
    await drainMails(context)
    const got = new Map(inbox.arrived.map(({ to: [address], text }) => [address, text]))
    assert.deepEqual(new Set(got.keys()), new Set([assignee.email, viewer.email]))
    assert.ok(got.get(assignee.email)!.includes(request) && !got.get(assignee.email)!.includes(connection))
    assert.ok(!got.get(viewer.email)!.includes(request) && got.get(viewer.email)!.includes(connection))
    // the mail itself is bound to the address that it was made for
    await to(moved.email)
    await ask(team)
    await formAll()
    await to('else@example.com')
    inbox.arrived.splice(0)
    await drainMails(context)
    assert.ok(
      !inbox.arrived.some(({ to: addresses }) =>
        addresses.some((one) => [moved.email, 'else@example.com'].includes(one)),
      ),
    )
  },
)

async function formAll(): Promise<void> {
  await spreadHappenings(context)
  await formMails(sql, { gapS: 0, perTeamHour: 1000 })
}

proves('notifications.once', 'a request that is answered before the mail is sent is left out', async () => {
  const team = await seedTeam(service)
  const told = await tell(team)
  const request = await ask(team)
  await formAll()
  await sql`update human_requests set status = 'cancelled' where id = ${request} and team_id = ${team.id}`
  await drainMails(context)
  assert.equal(inbox.arrived.length, 0)
  assert.equal((await team.call('GET /v2/profile/mails', { key: told.key })).body.mails[0].state, 'dropped')
  // assigned to and fro: still once
  const other = await ask(team)
  for (const who of [told.memberId, team.memberId, told.memberId]) {
    await sql`update human_requests set assignee_user_id = ${who} where id = ${other} and team_id = ${team.id}`
    await drainMails(context)
  }
  assert.equal(inbox.arrived.length, 1)
})

proves('notifications.choices', 'a digest waits for its time, and a change of mind counts for what waits', async () => {
  const team = await seedTeam(service)
  const told = await tell(team, { mail: { human_requests: 'digest' } })
  const [first, second] = [await ask(team), await ask(team)]
  await drainMails(context)
  assert.equal(inbox.arrived.length, 0)
  await sql`update notices set due_at = now() where member_id = ${told.memberId} and team_id = ${team.id}`
  await drainMails(context)
  const [mail] = inbox.arrived
  assert.ok(mail!.text.includes(first) && mail!.text.includes(second))
  assert.equal(mail!.headers['subject'], 'Waiting for a person: 2')
  const third = await ask(team)
  await drainMails(context)
  await team.call('PATCH /v2/profile/notifications', { key: told.key, body: { mail: { human_requests: 'at_once' } } })
  await drainMails(context)
  assert.ok(inbox.arrived[1]!.text.includes(third))
  await ask(team)
  await formNotices()
  await team.call('PATCH /v2/profile/notifications', { key: told.key, body: { mail: { human_requests: 'off' } } })
  await drainMails(context)
  assert.equal(inbox.arrived.length, 2)
})

async function formNotices(): Promise<void> {
  await spreadHappenings(context)
}

proves(
  'notifications.bounded',
  'soon after a mail, and beyond the team’s hour, news wait and come together',
  async () => {
    const team = await seedTeam(service)
    await tell(team)
    await ask(team)
    await drainMails(context)
    assert.equal(inbox.arrived.length, 1)
    const first = await ask(team)
    await sql`
    insert into human_requests (id, team_id, run_id, step, type, title)
    select gen_random_uuid(), team_id, run_id, n, type, title from human_requests, generate_series(2, 60) n
    where id = ${first} and team_id = ${team.id}`
    await formNotices()
    await formNotices()
    assert.equal(await formMails(sql, { gapS: 60, perTeamHour: 1000 }), 0)
    assert.equal(await formMails(sql, { gapS: 0, perTeamHour: 1 }), 0)
    await drainMails(context)
    const counts = inbox.arrived.slice(1).map(({ text }) => text.match(/\/inbox\?request=/g)!.length)
    // both are sent at the same time, and either may arrive first
    assert.deepEqual(new Set(counts), new Set([50, 10]))
    assert.equal(counts.length, 2)
  },
)

/** How often the indexes of mails were looked into, and those of notices with the rows that were read. */
async function readOf(on: Sql): Promise<{ mails: number; notices: number }> {
  const rows = await on<{ table: string; scans: number; rows: number }>`
    select relname as table, idx_scan as scans, idx_tup_fetch as rows from pg_stat_xact_user_tables where relname in ('mails', 'notices')`
  const of = (name: string) => rows.find(({ table }) => table === name)
  return { mails: of('mails')?.scans ?? 0, notices: (of('notices')?.scans ?? 0) + (of('notices')?.rows ?? 0) }
}

proves(
  'notifications.bounded',
  'a team that has used up its hour costs one count however many notices it has, and mails of others are formed and sent',
  async () => {
    const [full, other] = [await seedTeam(service), await seedTeam(service)]
    const { memberId } = await tell(full)
    const { email } = await tell(other)
    await sql`
      insert into mails (id, team_id, member_id, purpose, address, state)
      select gen_random_uuid(), ${full.id}, ${memberId}, 'news', 'x@example.com', 'sent' from generate_series(1, ${context.config.mailsPerTeamHour}::int)`
    await sql`
      insert into notices (team_id, member_id, kind, subject_id, due_at)
      select ${full.id}, ${memberId}, 'failed_runs', gen_random_uuid(), now() from generate_series(1, 5000)`
    const [had, has] = await context.db.transaction(async (on) => {
      // what this connection did before may be counted with it
      const counted = await readOf(on)
      assert.equal(await formMails(on, { gapS: 0, perTeamHour: context.config.mailsPerTeamHour }), 0)
      return [counted, await readOf(on)]
    })
    assert.equal(has.mails - had.mails, 1)
    assert.ok(has.notices - had.notices < 10, `${has.notices - had.notices} looks and rows`)
    await ask(other)
    await drainMails(context)
    assert.deepEqual(
      inbox.arrived.map(({ to }) => to),
      [[email]],
    )
  },
)

proves('notifications.fair', 'mails that are there are sent although no new ones can be made', async () => {
  const team = await seedTeam(service)
  const { email } = await tell(team)
  await ask(team)
  await formAll()
  await ask(team)
  const failing: Context = {
    ...context,
    parts: new Map(context.parts),
    db: {
      ...context.db,
      sql: (...asked) =>
        asked[0].join('').includes('insert into mails') ? Promise.reject(new Error('cancelled')) : sql(...asked),
    },
  }
  await assert.rejects(drainMails(failing), /cancelled/)
  assert.deepEqual(inbox.arrived[0]!.to, [email])
})

proves(
  'notifications.doubt',
  'a mail in doubt is not sent again, and another one follows if the matter is still open',
  async () => {
    const team = await seedTeam(service)
    const told = await tell(team)
    const worker = newId()
    const take = async () =>
      (await takeMails(sql, { worker, max: 4, leaseS: 60, fullTeams: [] })).find(({ team_id }) => team_id === team.id)!
    const stateOf = async (id: string) =>
      (await sql<{ state: string }>`select state from mails where id = ${id} and team_id = ${team.id}`)[0]!.state
    const still = await ask(team)
    const over = await ask(team)
    await formAll()
    // killed before the end: it is sent again
    const first = await take()
    await settleLost(sql, { worker })
    assert.equal(await stateOf(first.id), 'due')
    assert.equal(await beginEnding(sql, first, worker), false, 'the old holder may not end it')
    const second = await take()
    assert.equal(second.id, first.id)
    assert.equal(await beginEnding(sql, first, worker), false, 'nor with its old attempt')
    assert.equal(await beginEnding(sql, second, worker), true)
    // killed after it: it is never sent again
    await settleLost(sql, { worker })
    assert.equal(await stateOf(first.id), 'in_doubt')
    await drainMails(context)
    assert.equal(inbox.arrived.length, 0)
    await sql`update human_requests set status = 'responded' where id = ${over} and team_id = ${team.id}`
    await sql`update notices set due_at = now() where member_id = ${told.memberId} and team_id = ${team.id} and due_at is not null`
    await drainMails(context)
    const [mail, ...more] = inbox.arrived
    assert.equal(more.length, 0)
    assert.ok(mail!.text.includes(still) && !mail!.text.includes(over))
    assert.match(mail!.text, /You may have had a mail about it/)
    assert.match(mail!.headers['references']!, new RegExp(first.id))
    // an answer that comes although others gave the mail up still counts
    await ask(team)
    await formAll()
    const third = await take()
    await beginEnding(sql, third, worker)
    await settleLost(sql, { worker })
    await markSent(sql, third)
    assert.equal(await stateOf(third.id), 'sent')
    const waiting = await sql`select from notices where member_id = ${told.memberId} and due_at is not null`
    assert.equal(waiting.length, 0)
  },
)

proves('notifications.doubt', 'a lease that ends settles the mail as a death does', async () => {
  const team = await seedTeam(service)
  await tell(team)
  await ask(team)
  await formAll()
  const [taken] = await takeMails(sql, { worker: newId(), max: 4, leaseS: -1, fullTeams: [] })
  assert.equal(await beginEnding(sql, taken!, newId()), false)
  await drainMails(context)
  await drainMails(context)
  assert.equal(inbox.arrived.length, 1)
})

proves('notifications.fair', 'each team that waits has its turn, however many mails another has', async () => {
  const [busy, quiet] = [await seedTeam(service), await seedTeam(service)]
  for (const team of [busy, quiet]) await tell(team)
  const many = { teamId: busy.id, memberId: busy.memberId }
  await sql`
    insert into mails (id, team_id, member_id, purpose, address, due_at)
    select gen_random_uuid(), ${many.teamId}, ${many.memberId}, 'test', 'x@example.com', now() - interval '1 hour' from generate_series(1, 500)`
  await ask(quiet)
  await formAll()
  const taken = await takeMails(sql, { worker: newId(), max: 4, leaseS: 60, fullTeams: [] })
  assert.ok(taken.some(({ team_id }) => team_id === quiet.id))
  const withoutBusy = await takeMails(sql, { worker: newId(), max: 4, leaseS: 60, fullTeams: [busy.id] })
  assert.ok(!withoutBusy.some(({ team_id }) => team_id === busy.id))
  await sql`delete from mails where team_id = ${busy.id}`
})

proves(
  'notifications.confirm',
  'an address is confirmed by the link in a mail that holds nothing of the tenant’s',
  async () => {
    const team = await seedTeam(service, { name: 'Buy watches' })
    const { body } = await team.call('POST /v2/teams/:teamId/members', {
      body: { name: 'Buy watches', email: 'new@example.com' },
    })
    const { secret: key } = await issueApiKey(sql, {
      teamId: team.id,
      memberId: body.member_id,
      name: 'new',
      scopes: ['*'],
    })
    const call = (route: string, more: object = {}) => team.call(route, { key, ...more })
    assert.equal((await call('POST /v2/profile/notifications/test')).status, 409)
    assert.equal((await call('POST /v2/profile/email/confirmation')).status, 202)
    await drainMails(context)
    const [mail] = inbox.arrived
    assert.deepEqual(mail!.to, ['new@example.com'])
    assert.doesNotMatch(mail!.text + mail!.html + mail!.headers['subject'], /watches/)
    const token = /#confirm=(\S+)/.exec(mail!.text)![1]!
    const confirm = (sent: string, as = key) =>
      team.call('POST /v2/profile/email/confirm', { key: as, body: { token: sent } })
    assert.equal((await confirm(`${token.slice(0, -1)}x`)).status, 400)
    assert.equal((await confirm(token, team.key)).status, 409, 'somebody else')
    assert.deepEqual((await confirm(token)).body.mailbox.state, 'ready')
    assert.equal((await call('POST /v2/profile/notifications/test')).status, 202)
    await drainMails(context)
    assert.equal(inbox.arrived[1]!.headers['subject'], 'A test mail from Runyard')
    // the address changes: it must be confirmed again, and the old link does not do it
    await team.call(`PATCH /v2/teams/:teamId/members/${body.member_id}`, { body: { email: 'other@example.com' } })
    assert.equal((await confirm(token)).status, 409)
    assert.equal((await call('GET /v2/profile/notifications')).body.mailbox.state, 'unconfirmed')
    const more = await Promise.all(Array.from({ length: 6 }, () => call('POST /v2/profile/email/confirmation')))
    assert.equal(more.filter(({ status }) => status === 202).length, 4, 'five an hour, with the first one')
  },
)

proves(
  'notifications.once',
  'a mail that the server refuses is tried again later, or given up when it is refused for good',
  async () => {
    const team = await seedTeam(service)
    const told = await tell(team)
    const stateNow = async () => (await team.call('GET /v2/profile/mails', { key: told.key })).body.mails[0]
    await ask(team)
    inbox.refuseNext(451, 'Later')
    await drainMails(context)
    const later = await stateNow()
    assert.deepEqual(
      [later.state, later.problem],
      ['waiting', 'the end of the mail: the mail server answered 451 Later'],
    )
    await sql`update mails set due_at = now() where team_id = ${team.id}`
    inbox.refuseNext(550, 'No such mailbox')
    await drainMails(context)
    assert.deepEqual([(await stateNow()).state, (await stateNow()).attempts, inbox.arrived.length], ['failed', 2, 0])
  },
)

proves(
  'notifications.plan',
  'a round reads only what is due, and a page of mails only those of the member',
  async () => {
    const team = await seedTeam(service)
    const told = await tell(team)
    await sql`
    insert into mails (id, team_id, member_id, purpose, address, state)
    select gen_random_uuid(), ${team.id}, ${team.memberId}, 'news', 'x@example.com', 'sent' from generate_series(1, 5000)`
    await sql`
    insert into notices (team_id, member_id, kind, subject_id, mail_id)
    select ${team.id}, ${team.memberId}, 'failed_runs', gen_random_uuid(), gen_random_uuid() from generate_series(1, 5000)`
    await context.db.pool.query('analyze')
    const plansOf = await plansOn(context.db)
    const plans = await plansOf(async (explained) => {
      await formMails(explained, { gapS: 0, perTeamHour: 1000 })
      await takeMails(explained, { worker: newId(), max: 4, leaseS: 60, fullTeams: [] })
      await settleLost(explained, { worker: newId() })
      await explained`select id from mails m where m.member_id = ${told.memberId} and m.team_id = ${team.id} order by m.created_at desc, m.id desc limit 20`
    })
    assert.equal(plans.length, 4)
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on (mails|notices)/)
  },
)
