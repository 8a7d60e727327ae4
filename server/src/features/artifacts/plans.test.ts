// The plans of lists and claims with 5,000 artifacts and 20,000 messages: by their indexes, never by reading a table whole.
import assert from 'node:assert/strict'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { registryOf } from '../../kit/registry.ts'
import { finishedArtifact } from '../../../test/kit/artifacts.ts'
import { seedQueue } from '../../../test/kit/cases.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { seedRuns } from '../../../test/kit/seedRuns.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { claimPicture } from './drawPictures.ts'
import { findArtifact } from './artifact.ts'
import { claimDue, skipBusy, startRefreshes } from './refreshDue.ts'
import { lockIdle } from './startWork.ts'

const service = await testApp()
const { db } = service.context
const teams = await Promise.all(Array.from({ length: 5 }, () => seedTeam(service)))
const [team] = teams
assert.ok(team)
const artifactId = await finishedArtifact(service, team)

/** Copies of the first artifact, a part of them shared, due or undrawn. */
const seed = async (one: TestTeam): Promise<void> => {
  await db.transaction(async (sql) => {
    await sql`
      create temporary table copies on commit drop as
      select new_id() as id, new_id() as agent_id, new_id() as page_id, new_id() as work_id, new_id() as revision_id, n
      from generate_series(1, 1000) n`
    await sql`
      insert into agents (id, team_id, name, memory_enabled, builds_count, created_by, is_hidden)
      select agent_id, ${one.id}, 'Copy', false, 2, ${one.memberId}, true from copies`
    await sql`
      insert into builds (id, team_id, agent_id, revision_number, name, status, config, created_by, published_at, config_by)
      select x.id, ${one.id}, x.agent_id, b.revision_number, b.name, b.status, b.config, b.created_by, b.published_at, b.config_by
      from builds b join artifacts a on b.id in (a.page_build_id, a.work_build_id)
      join (select agent_id, page_id as id, true as is_page from copies union all select agent_id, work_id, false from copies) x
        on x.is_page = (b.id = a.page_build_id)
      where a.id = ${artifactId}`
    await sql`
      insert into artifacts (id, team_id, agent_id, page_build_id, work_build_id, created_by_user_id, acts_for, title, kind, status, visibility,
        refresh_frequency, next_refresh_at, current_revision_id, revisions_count)
      select id, ${one.id}, agent_id, page_id, work_id, ${one.memberId}, array[${one.memberId}::uuid], 'Copy ' || n, 'dashboard', 'completed',
        case when n % 5 = 0 then 'team' else 'private' end, case when n % 4 = 0 then 'hourly' end,
        case when n % 4 = 0 then now() + n * interval '1 second' end, revision_id, 1
      from copies`
    await sql`
      insert into artifact_revisions (id, team_id, artifact_id, version, procedure, html, data, data_at, picture_due_at)
      select revision_id, ${one.id}, id, 1, '', '<p>x</p>', '{}', now(), case when n % 50 = 0 then now() end from copies`
    await sql`
      insert into artifact_messages (id, team_id, artifact_id, role, content, revision_id)
      select new_id(), ${one.id}, id, 'user', 'Change it', revision_id from copies, generate_series(1, 4)`
  })
}
for (const one of teams) await seed(one)
await db.sql`
  insert into artifact_messages (id, team_id, artifact_id, role, content)
  select new_id(), ${team.id}, ${artifactId}, 'user', 'Change it' from generate_series(1, 1000)`
// runs of ordinary agents, and what some of them ask
await seedRuns(db.sql, {
  teamId: team.id,
  agents: [{ id: await seeders['agent']!(team, {}), buildId: newId() }],
  users: [team.memberId],
  queues: [await seedQueue(team)],
  runs: 6000,
  days: 30,
})
await db.sql`
  insert into human_requests (id, team_id, run_id, step, type, title, status)
  select new_id(), team_id, id, 1, 'approval', 'May I?', case when run_number % 10 = 0 then 'pending' else 'responded' end
  from runs where team_id = ${team.id} limit 5000`
await db.pool.query('analyze')
const plansOf = await plansOn(db)

/** The statements that create runs are the engine's, whose own plans have a test there. */
const large = /Seq Scan on (artifacts|artifact_revisions|artifact_messages|runs|human_requests)\b/

async function assertIndexed(name: string, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const plans = await plansOf(work)
  assert.ok(plans.length > 0, name)
  for (const plan of plans) assert.doesNotMatch(plan, large, `${name}\n${plan}`)
}

proves('artifacts.plans', 'every list of artifacts has its index', async () => {
  const [artifact] = await findArtifact(db.sql, artifactId, team.id, { member_id: team.memberId })
  const caller = { member_id: team.memberId }
  const lists: [string, object[]][] = [
    ['listArtifacts', ['created', 'shared', 'team'].flatMap((scope) => [{ scope }, { scope, search: 'copy' }])],
    ['listArtifactMessages', [{}, { before: artifactId }]],
    ['listArtifactRevisions', [{}]],
    ['listArtifactConnections', [{}]],
    ['getArtifact', [{}]],
  ]
  for (const [id, queries] of lists) {
    const operation = registryOf(service.context).operations.find((one) => one.id === id)
    for (const asked of queries) {
      const query = { limit: 20, offset: 0, ...asked }
      await assertIndexed(`${id} ${JSON.stringify(asked)}`, async (sql) => {
        await findArtifact(sql, artifactId, team.id, caller)
        return operation?.handler?.({
          team: { id: team.id },
          caller,
          artifact,
          query,
          context: service.context,
          sql,
        } as never)
      })
    }
  }
})

proves('artifacts.plans', 'every claim of artifacts has its index', async () => {
  const artifact = { id: artifactId, team_id: team.id, current_revision_id: null }
  await assertIndexed('start', (sql) => lockIdle(sql, artifact))
  await assertIndexed('skip', skipBusy)
  await db.sql`update artifacts set next_refresh_at = now() - interval '1 minute' where id = (
    select id from artifacts where next_refresh_at is not null limit 1)`
  await assertIndexed('refresh', async (sql) => startRefreshes(service.context, sql, await claimDue(sql)))
  await assertIndexed('draw', claimPicture)
})
