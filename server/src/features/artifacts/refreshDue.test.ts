// Refreshes by the clock, on a real database: each due time once, skipped where something works, and fair between teams.
import assert from 'node:assert/strict'
import {
  createArtifact,
  fenced,
  finishedArtifact,
  pageMessage,
  readArtifact,
  send,
} from '../../../test/kit/artifacts.ts'
import { drainRuns } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { refreshDue, refreshSome } from './refreshDue.ts'

const service = await testApp()
const tick = () => refreshDue({ context: service.context, signal: new AbortController().signal })

/** Moves the due time into the past, because the database's clock cannot be moved. */
async function makeDue(team: TestTeam, id: string, ago = '1 second'): Promise<void> {
  await team.call(`PATCH /v2/artifacts/${id}`, { body: { refresh_frequency: 'hourly' } })
  await team.sql`update artifacts set next_refresh_at = now() - ${ago}::interval where id = ${id}`
}

const runsOf = async (team: TestTeam, id: string): Promise<number> => {
  const [row] = await team.sql<{ runs: number }>`
    select count(*) as runs from runs r join artifacts a on a.agent_id = r.agent_id where a.id = ${id}`
  return row?.runs ?? 0
}

proves(
  'artifacts.refreshOnce',
  'a due artifact is refreshed once, and is due again at the next step of its clock',
  async () => {
    const team = await seedTeam(service)
    const id = await finishedArtifact(service, team)
    await makeDue(team, id, '150 minutes')
    await Promise.all([tick(), tick(), tick()])
    await drainRuns(service)
    await tick()
    assert.equal(await runsOf(team, id), 2)
    const { status, next_refresh_at, last_refresh_at } = await readArtifact(team, id)
    assert.equal(status, 'completed')
    const minutesAway = (new Date(next_refresh_at).getTime() - Date.now()) / 60_000
    assert.ok(minutesAway > 29 && minutesAway <= 30, `${minutesAway} minutes`)
    assert.ok(Date.now() - new Date(last_refresh_at).getTime() < 60_000)
    await team.call(`PATCH /v2/artifacts/${id}`, { body: { refresh_frequency: null } })
    assert.deepEqual((await readArtifact(team, id)).next_refresh_at, null)
  },
)

proves(
  'artifacts.refreshOnce',
  'a due time is skipped while something works on the artifact, and without a page',
  async () => {
    const team = await seedTeam(service)
    const id = await finishedArtifact(service, team)
    await send(team, id, pageMessage('Waiting', fenced('ask id=page', 'Really?')))
    await drainRuns(service)
    const unmade = await createArtifact(team, { message: 'A wish without a page' })
    for (const one of [id, unmade]) await makeDue(team, one)
    await tick()
    assert.deepEqual([await runsOf(team, id), await runsOf(team, unmade)], [2, 1])
    for (const one of [id, unmade]) assert.ok(new Date((await readArtifact(team, one)).next_refresh_at) > new Date())
  },
)

proves('pools.fair', 'the refreshes of one team do not delay those of another', async () => {
  const [crowded, small] = [await seedTeam(service), await seedTeam(service)]
  const many = await finishedArtifact(service, crowded)
  for (let made = 0; made < 120; made += 1) await crowded.call(`POST /v2/artifacts/${many}/duplicate`)
  await crowded.sql`
    update artifacts set refresh_frequency = 'daily', next_refresh_at = now() - interval '1 hour' where team_id = ${crowded.id}`
  const id = await finishedArtifact(service, small)
  await makeDue(small, id)
  assert.equal(await refreshSome(service.context), 100)
  assert.equal(await runsOf(small, id), 2)
})

proves('artifacts.refreshOnce', 'an artifact that cannot be refreshed does not hold up the others', async () => {
  const team = await seedTeam(service)
  const [broken, whole] = [await finishedArtifact(service, team), await finishedArtifact(service, team)]
  await makeDue(team, broken, '2 seconds')
  await makeDue(team, whole)
  // no user can bring this about: the database refuses the run of this one artifact
  await team.sql`
    create function refuse_one() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`
  await team.sql`create table refused_agents as select agent_id from artifacts where id = ${broken}`
  await team.sql`
    create function is_refused(agent uuid) returns boolean language sql as 'select agent in (select agent_id from refused_agents)'`
  await team.sql`
    create trigger refuse_one before insert on runs for each row when (is_refused(new.agent_id)) execute function refuse_one()`
  try {
    await tick()
    assert.deepEqual([await runsOf(team, broken), await runsOf(team, whole)], [1, 2])
    assert.ok(new Date((await readArtifact(team, broken)).next_refresh_at) > new Date())
  } finally {
    await team.sql`drop trigger refuse_one on runs`
  }
})

proves('artifacts.leavers', 'the artifacts of a member who left are no longer refreshed by the clock', async () => {
  const team = await seedTeam(service)
  const id = await finishedArtifact(service, team)
  await makeDue(team, id)
  await team.sql`update members set removed_at = now() where id = ${team.memberId}`
  await tick()
  const [left] = await team.sql<{ next_refresh_at: Date | null; refresh_error: string }>`
    select next_refresh_at, refresh_error from artifacts where id = ${id}`
  assert.equal(left?.next_refresh_at, null)
  assert.match(left?.refresh_error ?? '', /creator has left the team/)
  assert.equal(await runsOf(team, id), 1)
})
