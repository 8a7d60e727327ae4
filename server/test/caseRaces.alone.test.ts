// Races for the cases of one queue: two agents and three people take, give back and complete them, and no case ever has two holders.
import assert from 'node:assert/strict'
import { dispatchQueue } from '../src/features/queues/dispatch/dispatch.ts'
import { moveCases, type Mover } from '../src/features/queues/cases/moveCases.ts'
import { readTimeline, seedCases, seedColleague, seedQueue, seedWorker } from './kit/cases.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { proves } from './kit/proves.ts'

/** Claims that people try, each for a case that others try to get at the same time. */
const racesWanted = Number(process.env['RUNYARD_CASE_RACES'] ?? 300)
const casesWanted = Math.ceil(racesWanted / 20)

const service = await testApp()
const { db } = service.context

proves(
  'cases.oneHolder',
  `${racesWanted} races of people and agents for ${casesWanted} cases leave none with two holders and none undone`,
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team)
    const people = [team, await seedColleague(team, 'Ann'), await seedColleague(team, 'Ben')]
    await seedWorker(team, queueId, 2)
    await seedWorker(team, queueId, 2)
    await seedCases(team, queueId, casesWanted)
    const holders = new Map<string, string>()
    /** Runs that one of the two loops of agents is at, or was. */
    const seen = new Set<string>()
    let races = 0
    let wins = 0
    let completed = 0
    const isOver = () => completed >= casesWanted

    /** Known here only between the commits of claim and end, so two entries are two holders. */
    async function hold(caseId: string, by: Mover): Promise<void> {
      const name = 'run_id' in by ? by.run_id : by.user_id
      assert.equal(holders.get(caseId), undefined, 'a case that somebody holds was given to another')
      holders.set(caseId, name)
      wins += 1
      // given back as long as there are more races to run than cases to run them for
      const type = races * casesWanted < completed * racesWanted ? 'released' : 'completed'
      if (type === 'completed') completed += 1
      await db.sql`select claimed_at from cases where id = ${caseId} and team_id = ${team.id}`
      holders.delete(caseId)
      const ended = await db.transaction((sql) => moveCases(sql, [{ case_id: caseId, team_id: team.id, by, type }]))
      assert.equal(ended.length, 1, `${name} could not end what it holds`)
    }

    /** All look at the same first few, so that they meet. */
    const waiting = () => db.sql<{ id: string }>`
    select id from cases where queue_id = ${queueId} and team_id = ${team.id} and display_status = 'pending'
    order by created_at, id limit 3`

    async function person(userId: string): Promise<void> {
      while (!isOver()) {
        for (const { id } of await waiting()) {
          races += 1
          const by = { user_id: userId }
          const move = { case_id: id, team_id: team.id, by, type: 'claimed' as const }
          if ((await db.transaction((sql) => moveCases(sql, [move]))).length === 1) await hold(id, by)
        }
      }
    }

    async function agents(): Promise<void> {
      while (!isOver()) {
        await dispatchQueue(service.context, queueId)
        const held = await db.sql<{ id: string; run_id: string; agent_id: string }>`
        select id, claimed_by_run_id as run_id, claimed_by_agent_id as agent_id from cases
        where queue_id = ${queueId} and team_id = ${team.id} and claimed_by_run_id is not null`
        const mine = held.filter(({ run_id }) => !seen.has(run_id))
        for (const { run_id } of mine) seen.add(run_id)
        await Promise.all(mine.map(({ id, run_id, agent_id }) => hold(id, { run_id, agent_id })))
      }
    }
    await Promise.all([...people.map(({ memberId }) => person(memberId)), agents(), agents()])

    const cases = await team.sql<{ id: string; display_status: string; attempts: number }>`
    select id, display_status, attempts from cases where queue_id = ${queueId} and team_id = ${team.id}`
    assert.equal(cases.length, casesWanted)
    const timeline = Map.groupBy(await readTimeline(team, queueId), ({ case_id }) => case_id)
    for (const { id, display_status, attempts } of cases) {
      assert.equal(display_status, 'completed')
      const rows = timeline.get(id)!
      const by = (wanted: string[]) =>
        rows.filter(({ type }) => wanted.includes(type)).map(({ run_id, user_id }) => String(run_id ?? user_id))
      assert.deepEqual(
        by(['claimed']).toSorted(),
        by(['released', 'completed']).toSorted(),
        'who takes a case also ends it',
      )
      assert.equal(by(['claimed']).length, attempts)
      assert.equal(by(['completed']).length, 1, 'each case is completed once')
    }
    assert.ok(races >= racesWanted * 0.9, `${races} races`)
    assert.ok(races > wins, 'people met at the same case')
  },
)
