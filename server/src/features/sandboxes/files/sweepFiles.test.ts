// The retention of files: what is over goes, however much it is, and what cannot go keeps nothing else.
import assert from 'node:assert/strict'
import { newId } from '../../../base/ids.ts'
import { plansOn } from '../../../../test/kit/plans.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { seeders, seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { sweepFiles } from './sweepFiles.job.ts'

const service = await testApp()
const { context } = service
const { sql } = context.db
const team = await seedTeam(service)

const sweep = () => sweepFiles.handler({ input: {}, context, sql, signal: new AbortController().signal })

/** A sandbox with this many rows of earlier steps. */
async function sandboxWith(rows: number, { isOver = true, runId = null as string | null } = {}): Promise<string> {
  const id = newId()
  await sql`
    insert into sandboxes (id, team_id, run_id, expires_at, kept_bytes)
    values (${id}, ${team.id}, ${runId}, case when ${runId}::uuid is null then now() + case when ${isOver} then '-1 minute' else '1 hour' end::interval end, 7)`
  await sql`
    insert into workspace_files (id, team_id, sandbox_id, path, kind, size_bytes, link_target, from_step, until_step)
    select gen_random_uuid(), ${team.id}, ${id}, '/workspace/' || n, 'link', 0, 'there', n, n + 1 from generate_series(1, ${rows}::int) n`
  return id
}

const leftOf = async (id: string) => {
  const [left] = await sql`
    select (select count(*)::int from sandboxes where id = ${id}) as sandboxes,
      (select count(*)::int from workspace_files where sandbox_id = ${id}) as files`
  return left
}

const nothing = { sandboxes: 0, files: 0 }

/** How many rows the largest statement deletes that the work runs. */
async function mostDeleted(work: () => Promise<unknown>): Promise<number> {
  await sql`create table deleted_files (files int not null)`
  await context.db.pool.query(`
    create function note_deleted() returns trigger language plpgsql as 'begin
      insert into deleted_files select count(*) from gone;
      return null;
    end';
    create trigger note_deleted after delete on workspace_files referencing old table as gone
      for each statement execute function note_deleted()`)
  try {
    await work()
    const [most] = await sql<{ files: number }>`select max(files) as files from deleted_files`
    return most!.files
  } finally {
    await context.db.pool.query(
      'drop trigger note_deleted on workspace_files; drop function note_deleted; drop table deleted_files',
    )
  }
}

proves('files.swept', 'the rows of a workspace go in pieces, when its time is over or it is deleted', async () => {
  const [over, deleted, stays] = [
    await sandboxWith(12_000),
    await sandboxWith(12_000, { isOver: false }),
    await sandboxWith(3, { isOver: false }),
  ]
  const most = await mostDeleted(async () => {
    assert.equal((await team.call(`DELETE /v2/sandboxes/${deleted}`)).status, 200)
    assert.equal((await team.call(`GET /v2/sandboxes/${deleted}`)).status, 404)
    const [kept] = await sql`select kept_bytes from sandboxes where id = ${deleted}`
    assert.deepEqual(kept, { kept_bytes: 0 })
    await sweep()
  })
  assert.equal(most, 5000)
  assert.deepEqual([await leftOf(over), await leftOf(deleted)], [nothing, nothing])
  assert.deepEqual(await leftOf(stays), { sandboxes: 1, files: 3 })
})

proves(
  'files.swept',
  'the workspace of a deleted run is not found from then on, and a large one goes in pieces',
  async () => {
    const runId = await seeders['run']!(team, {})
    const id = await sandboxWith(12_000, { runId })
    const most = await mostDeleted(async () => {
      assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
      assert.equal((await team.call(`GET /v2/sandboxes/${id}`)).status, 404)
      await sweep()
    })
    assert.equal(most, 5000)
    assert.deepEqual(await leftOf(id), nothing)
  },
)

proves('files.swept', 'a sweep that fails keeps no other from its work, and the job is tried again', async () => {
  const id = await sandboxWith(3)
  const unused = newId()
  const upload = newId()
  const open = await sandboxWith(0, { isOver: false })
  await sql`insert into blobs (id, size_bytes, created_at) values (${unused}, 0, now() - interval '25 hours')`
  await sql`
    insert into file_uploads (id, team_id, sandbox_id, path, expires_at)
    values (${upload}, ${team.id}, ${open}, '/workspace/a', now() - interval '2 days')`
  await context.db.pool.query(`
    create function refuse() returns trigger language plpgsql as 'begin raise exception ''not now''; end';
    create trigger refuse before delete on workspace_files for each row execute function refuse()`)
  await assert.rejects(sweep(), /not now/)
  await context.db.pool.query('drop trigger refuse on workspace_files; drop function refuse')
  assert.deepEqual(await sql`select from blobs where id = ${unused}`, [])
  assert.deepEqual(await sql`select from file_uploads where id = ${upload}`, [])
  assert.deepEqual(await leftOf(id), { sandboxes: 1, files: 3 })
  await sweep()
  assert.deepEqual(await leftOf(id), nothing)
})

proves('files.swept', 'workspaces of runs are looked for among those that are old enough, by an index', async () => {
  await sql`
    insert into sandboxes (id, team_id, run_id, created_at)
    select gen_random_uuid(), ${team.id}, gen_random_uuid(), now() - make_interval(days => n % 40) from generate_series(1, 5000) n`
  await context.db.pool.query('analyze sandboxes')
  const plansOf = await plansOn(context.db)
  const seen = { ...context, db: { ...context.db } }
  const plans = await plansOf((on) => {
    seen.db.sql = on
    seen.db.transaction = (work) => work(on)
    return sweepFiles.handler({ input: {}, context: seen, sql: on, signal: new AbortController().signal })
  })
  const [first = ''] = plans
  assert.match(first, /sandboxes_of_runs_by_age/)
  assert.doesNotMatch(first, /Seq Scan on sandboxes|Join|hashed/)
})
