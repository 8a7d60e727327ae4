// Firing on a real database: each due time once over all processes, and schedules that look after themselves.
import assert from 'node:assert/strict'
import { drainRuns, readEvents, readRun, seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { testApp, type TestApp } from '../../../test/kit/testApp.ts'
import type { Context } from '../../kit/context.ts'
import { dueSchedules, fireSchedules, fireSome } from './fireSchedules.ts'
import { proves } from '../../../test/kit/proves.ts'

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const procedure = block('output', '{{ message }}')
const waiting = `${block('approve', 'Go on?')}\n${procedure}`

const tick = (context: Context) => fireSchedules({ context, signal: new AbortController().signal })

/** Once an hour, and always half an hour away: no test sees a due time that it did not make. */
const hourly = () => ({ frequency: 'custom', cron: `${(new Date().getUTCMinutes() + 30) % 60} * * * *` })

async function seedSchedule(team: TestTeam, agentId: string, body: object = {}): Promise<string> {
  const answer = await team.call(`POST /v2/agents/${agentId}/schedules`, {
    body: { ...hourly(), message: 'hello', ...body },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.id
}

interface ScheduledRun {
  id: string
  status: string
  metadata: { schedule_id: string; scheduled_for: string }
}

const runsOf = (app: TestApp, scheduleId: string) => app.context.db.sql<ScheduledRun>`
  select id, status, metadata from runs where metadata ->> 'schedule_id' = ${scheduleId} order by run_number`

async function read(team: TestTeam, id: string) {
  const [row] = await team.sql<{ agent_id: string }>`select agent_id from schedules where id = ${id}`
  const { body } = await team.call(`GET /v2/agents/${row!.agent_id}/schedules`)
  return body.schedules.find((one: { id: string }) => one.id === id)
}

/** Moves the due time into the past, because the database's clock cannot be moved. */
const makeDue = (team: TestTeam, id: string, ago = '1 second') => team.sql`
  update schedules set next_run_at = now() - ${ago}::interval where id = ${id}`

const address = await testDatabase()
const service = await testApp({ address })

proves(
  'schedules.fire',
  'a due schedule starts a run of the live build as its maker, with its message, and moves on',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure, { limits: { max_steps: 7 } })
    const id = await seedSchedule(team, agentId, { message: 'Write the report\nof today' })
    const before = await read(team, id)
    await tick(service.context)
    assert.equal((await runsOf(service, id)).length, 0, 'nothing was due')
    await makeDue(team, id)
    const [due] = await team.sql<{ next_run_at: Date }>`select next_run_at from schedules where id = ${id}`
    await tick(service.context)
    await tick(service.context)
    const [made, ...others] = await runsOf(service, id)
    assert.deepEqual(others, [])
    assert.deepEqual(made!.metadata, { schedule_id: id, scheduled_for: due!.next_run_at.toISOString() })
    await drainRuns(service)
    const run = await readRun(team, made!.id)
    assert.deepEqual(
      [run.status, run.source, run.user_id, run.title, run.output, run.limits.max_steps],
      ['completed', 'schedule', team.memberId, 'Write the report', 'Write the report\nof today', 7],
    )
    const [, started] = await readEvents(service, run.id)
    assert.deepEqual([started!.event, started!.data.source], ['run.started', 'schedule'])
    const after = await read(team, id)
    assert.deepEqual([after.last_run_id, after.last_run_at, after.enabled], [run.id, run.created_at, true])
    assert.equal(after.next_run_at, before.next_run_at)
  },
)

proves(
  'schedules.exactlyOnce',
  '300 due schedules, three processes at once, one of them cut off: each fires once',
  async () => {
    const team = await seedTeam(service)
    const ids: string[] = []
    for (let agent = 0; agent < 3; agent++) {
      const first = await seedSchedule(team, await seedAgent(team, procedure))
      const copies = await team.sql<{ id: string }>`
      insert into schedules (id, team_id, agent_id, user_id, enabled, frequency, cron, timezone, message, recurring, overlap, catch_up, next_run_at)
      select gen_random_uuid(), team_id, agent_id, user_id, enabled, frequency, cron, timezone, message, recurring, overlap, catch_up, next_run_at
      from schedules, generate_series(1, 99) where id = ${first} returning id`
      ids.push(first, ...copies.map((copy) => copy.id))
    }
    await team.sql`update schedules set next_run_at = now() - interval '1 second' where id = any(${ids}::uuid[])`
    const others = [await testApp({ address }), await testApp({ address })]
    let firedInVain = 0
    const ended: number[] = []
    const { context } = others[1]!
    // dies with its work done and not committed, as a killed process does
    const dying: Context = {
      ...context,
      db: {
        ...context.db,
        transaction: (work) =>
          context.db.transaction(async (sql) => {
            const result = await work(sql)
            const [seen] = await sql<{ runs: number }>`
            select count(*) as runs from runs where team_id = ${team.id} and xmin = pg_current_xact_id()::xid`
            firedInVain += seen!.runs
            const [own] = await sql<{ pid: number }>`select pg_backend_pid() as pid`
            ended.push(own!.pid)
            await sql`select pg_terminate_backend(${own!.pid}::int)`
            return result
          }),
      },
    }
    await assert.rejects(tick(dying))
    await Promise.allSettled([tick(service.context), tick(others[0]!.context), tick(dying)])
    // the server tells whom it cuts off before it lets go of their locks, and what is locked is passed by
    while ((await team.sql`select from pg_stat_activity where pid = any(${ended}::int[])`).length > 0);
    await tick(service.context)
    assert.ok(firedInVain >= 100, `${firedInVain} starts were rolled back`)
    const counts = await team.sql<{ runs: number; schedules: number }>`
    select count(*) as runs, count(distinct metadata ->> 'schedule_id') as schedules from runs where team_id = ${team.id}`
    assert.deepEqual(counts, [{ runs: 300, schedules: 300 }])
    assert.deepEqual(await team.sql`select id from schedules where team_id = ${team.id} and next_run_at <= now()`, [])
  },
)

proves(
  'schedules.overlapping',
  'overlap is asked of the run before: skipped, started beside it, or held back until it has ended',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, waiting)
    const ids = new Map<string, string>()
    for (const overlap of ['skip', 'queue', 'allow']) ids.set(overlap, await seedSchedule(team, agentId, { overlap }))
    for (let round = 0; round < 3; round++) {
      for (const id of ids.values()) await makeDue(team, id)
      await tick(service.context)
      await drainRuns(service)
    }
    const count = async () => {
      const counts: number[] = []
      for (const id of ids.values()) counts.push((await runsOf(service, id)).length)
      return counts
    }
    const active = await team.sql<{ status: string }>`select distinct status from runs where team_id = ${team.id}`
    assert.deepEqual(active, [{ status: 'waiting' }])
    assert.deepEqual(await count(), [1, 1, 3])
    for (const id of ids.values()) {
      const { last_run_id } = await read(team, id)
      await team.call(`POST /v2/runs/${last_run_id}/stop`)
    }
    await tick(service.context)
    assert.deepEqual(await count(), [1, 2, 3], 'one was held back')
    await tick(service.context)
    assert.deepEqual(await count(), [1, 2, 3])
  },
)

proves('schedules.enabled', 'a pause takes back what was held', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, waiting)
  const id = await seedSchedule(team, agentId, { overlap: 'queue' })
  for (let round = 0; round < 2; round++) {
    await makeDue(team, id)
    await tick(service.context)
  }
  const { last_run_id } = await read(team, id)
  await team.call(`PATCH /v2/agents/${agentId}/schedules/${id}`, { body: { enabled: false } })
  await team.call(`POST /v2/runs/${last_run_id}/stop`)
  await tick(service.context)
  assert.equal((await runsOf(service, id)).length, 1)
})

proves('schedules.catchUp', 'what was missed is made up for as the schedule says', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const made = new Map<string, string>()
  for (const catch_up of ['none', 'last', 'all']) {
    made.set(catch_up, await seedSchedule(team, agentId, { catch_up, overlap: 'allow' }))
  }
  const [first] = await team.sql<{ next_run_at: Date }>`
    update schedules set next_run_at = next_run_at - interval '5 hours' where agent_id = ${agentId} returning next_run_at`
  const missed = [0, 1, 2, 3, 4].map((hours) =>
    new Date(first!.next_run_at.getTime() + hours * 3_600_000).toISOString(),
  )
  await tick(service.context)
  const firedBy = async (name: string) =>
    (await runsOf(service, made.get(name)!)).map(({ metadata }) => metadata.scheduled_for)
  assert.deepEqual(await firedBy('none'), [])
  assert.deepEqual(await firedBy('last'), missed.slice(-1))
  assert.deepEqual(await firedBy('all'), missed)
})

proves(
  'schedules.inTurn',
  'missed due times of a schedule whose runs may not overlap run one after another',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    const id = await seedSchedule(team, agentId, { catch_up: 'all' })
    await team.sql`update schedules set next_run_at = next_run_at - interval '3 hours' where id = ${id}`
    for (let runs = 1; runs <= 3; runs++) {
      await tick(service.context)
      await tick(service.context)
      const active = (await runsOf(service, id)).filter(({ status }) => status !== 'completed')
      assert.equal(active.length, 1)
      await drainRuns(service)
    }
    await tick(service.context)
    assert.equal((await runsOf(service, id)).length, 3)
  },
)

proves('schedules.once', 'one that does not recur fires once and is disabled', async () => {
  const team = await seedTeam(service)
  const id = await seedSchedule(team, await seedAgent(team, procedure), { recurring: false })
  await makeDue(team, id)
  await tick(service.context)
  const { enabled, next_run_at, auto_disabled_at, last_run_id } = await read(team, id)
  assert.deepEqual([enabled, next_run_at, auto_disabled_at], [false, null, null])
  assert.deepEqual(
    [last_run_id],
    (await runsOf(service, id)).map((run) => run.id),
  )
})

proves(
  'schedules.givesUp',
  'after ten runs in a row that only a person can fix it disables itself and says why',
  async () => {
    const team = await seedTeam(service)
    const prose = await seedAgent(team, 'Think about it.')
    const id = await seedSchedule(team, prose)
    for (let round = 0; round < 11; round++) {
      await makeDue(team, id)
      await tick(service.context)
      await drainRuns(service)
    }
    assert.equal((await runsOf(service, id)).length, 10)
    const { enabled, next_run_at, auto_disabled_at, auto_disabled_reason } = await read(team, id)
    assert.deepEqual([enabled, next_run_at], [false, null])
    assert.ok(auto_disabled_at)
    assert.match(
      auto_disabled_reason,
      /^Its last 10 runs failed, the latest with model_required: .+ Fix that, then set enabled to true\.$/,
    )
  },
)

proves(
  'schedules.givesUp',
  'a run that succeeds in between starts the count again, and an agent without a live build counts too',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    const id = await seedSchedule(team, agentId)
    await team.sql`update schedules set failures = 9 where id = ${id}`
    const fire = async () => {
      await makeDue(team, id)
      await tick(service.context)
      await drainRuns(service)
      const [row] = await team.sql<{ failures: number }>`select failures from schedules where id = ${id}`
      return row!.failures
    }
    assert.equal(await fire(), 9, 'nothing is known yet')
    assert.equal(await fire(), 0)
    // no user can bring this about today
    await team.sql`update builds set status = 'historic' where agent_id = ${agentId}`
    for (let failures = 1; failures <= 10; failures++) assert.equal(await fire(), failures)
    assert.equal((await runsOf(service, id)).length, 2)
    assert.match((await read(team, id)).auto_disabled_reason, /no live build.*Promote one/)
  },
)

proves(
  'schedules.liveBuild',
  'the build that is live at the due time is run, also where another was remembered',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, block('output', 'old'))
    const id = await seedSchedule(team, agentId)
    const fire = async () => {
      await makeDue(team, id)
      await tick(service.context)
      await drainRuns(service)
      return (await readRun(team, (await read(team, id)).last_run_id)).output
    }
    assert.equal(await fire(), 'old')
    const config = { version: 'v2', data: { input: block('output', 'new') } }
    const draft = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { config } })
    await team.call(`POST /v2/revisions/${draft.body.build_id}/promote`)
    assert.equal(await fire(), 'new')
  },
)

proves('schedules.poison', 'a schedule that cannot be fired is put off, and holds up no other', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const ids = [await seedSchedule(team, agentId), await seedSchedule(team, agentId), await seedSchedule(team, agentId)]
  for (const id of ids) await makeDue(team, id)
  await team.sql`update schedules set timezone = 'Europe/Atlantis' where id = ${ids[1]}`
  await tick(service.context)
  const counts: number[] = []
  for (const id of ids) counts.push((await runsOf(service, id)).length)
  assert.deepEqual(counts, [1, 0, 1])
  const again = await team.sql<{ id: string }>`
    select id from schedules where team_id = ${team.id} and next_run_at <= now() and retry_at > now() and retry_at < now() + interval '1 minute'`
  assert.deepEqual(again, [{ id: ids[1] }])
  assert.ok(service.logged.some((line) => line.includes('could not fire a schedule') && line.includes(ids[1]!)))
})

proves('schedules.retried', 'a firing that takes too long loses no due time, and is tried again', async () => {
  const team = await seedTeam(service)
  const id = await seedSchedule(team, await seedAgent(team, procedure), { catch_up: 'all', overlap: 'allow' })
  const [due] = await team.sql<{ next_run_at: Date; held: Date[] }>`
    update schedules set next_run_at = next_run_at - interval '12 hours',
      held = array[next_run_at - interval '20 hours', next_run_at - interval '19 hours']
    where id = ${id} and team_id = ${team.id} returning next_run_at, held`
  const { context } = service
  const slow: Context = {
    ...context,
    db: {
      ...context.db,
      transaction: (work) =>
        context.db.transaction(async (sql) => {
          const result = await work(sql)
          await sql`set local statement_timeout = 1`
          await sql`select pg_sleep(60)`
          return result
        }),
    },
  }
  await tick(slow)
  await tick(context)
  assert.deepEqual(await runsOf(service, id), [])
  const left = await team.sql`select next_run_at, held from schedules where id = ${id} and team_id = ${team.id}`
  assert.deepEqual(left, [due])
  await team.sql`update schedules set retry_at = now() where id = ${id} and team_id = ${team.id}`
  await tick(context)
  const missed = Array.from({ length: 12 }, (_, hours) => new Date(due!.next_run_at.getTime() + hours * 3_600_000))
  assert.deepEqual(
    (await runsOf(service, id)).map(({ metadata }) => metadata.scheduled_for),
    [...due!.held, ...missed].map((at) => at.toISOString()),
  )
  const [after] = await team.sql`
    select next_run_at > now() as moved_on, held, retry_at from schedules where id = ${id} and team_id = ${team.id}`
  assert.deepEqual(after, { moved_on: true, held: [], retry_at: null })
})

proves(
  'schedules.retried',
  'a due time that could not be fired in its minute fires with catch_up none too',
  async () => {
    const team = await seedTeam(service)
    const id = await seedSchedule(team, await seedAgent(team, procedure), { catch_up: 'none' })
    await makeDue(team, id, '5 minutes')
    await team.sql`update schedules set timezone = 'Europe/Atlantis', retry_at = now() where id = ${id} and team_id = ${team.id}`
    await tick(service.context)
    assert.deepEqual(await runsOf(service, id), [])
    await team.sql`update schedules set timezone = 'UTC', retry_at = now() where id = ${id} and team_id = ${team.id}`
    await tick(service.context)
    assert.equal((await runsOf(service, id)).length, 1)
    assert.deepEqual(await team.sql`select reason from schedule_misses where schedule_id = ${id}`, [])
  },
)

proves(
  'pools.schedules',
  'a schedule of one team fires with the first transaction, however many of another team were due before it',
  async () => {
    const noisy = await seedTeam(service)
    const quiet = await seedTeam(service)
    const first = await seedSchedule(noisy, await seedAgent(noisy, procedure))
    const own = await seedSchedule(quiet, await seedAgent(quiet, procedure))
    await noisy.sql`
    insert into schedules (id, team_id, agent_id, user_id, enabled, frequency, cron, timezone, message, recurring, overlap, catch_up, next_run_at)
    select gen_random_uuid(), team_id, agent_id, user_id, enabled, frequency, cron, timezone, message, recurring, overlap, catch_up,
      now() - interval '30 seconds' from schedules, generate_series(1, 150) where id = ${first}`
    await makeDue(quiet, own)
    assert.equal(await fireSome(service.context, dueSchedules), 100)
    assert.equal((await runsOf(service, own)).length, 1)
    const [left] = await noisy.sql<{ due: number }>`
    select count(*)::int as due from schedules where team_id = ${noisy.id} and next_run_at <= now()`
    assert.equal(left!.due, 51)
  },
)
