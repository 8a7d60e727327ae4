// Evidence of runs: every ended run is sealed and signed, a bundle shows all of it, and what somebody changed in the database is found.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedCases, seedQueue } from '../../../test/kit/cases.ts'
import { runWithFile, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { one, type Database } from '../../base/db.ts'
import { verifyBundle } from '../../base/evidence/verifyBundle.ts'
import { readZip } from '../../base/zipFile.ts'
import { publicKeys, rotateKey } from './keys.ts'
import { filesOfRun } from './runFiles.ts'
import { sealSome } from './sealRuns.ts'

const service = await testApp()
const { context } = service
const { sql } = context.db
const twoNotes =
  '```memory path=notes.md\nFirst.\n```\n\n```memory path=notes.md\nSecond.\n```\n\n```output\ndone\n```\n'

/** Runs of other tests may hold back what comes after them, so it is asked until it is done. */
async function seal(runId: string): Promise<void> {
  await drainRuns(service)
  const isSealed = () => sql`
    select from run_seals s join runs r on r.id = s.run_id where r.id = ${runId} and s.events_last = r.event_seq`
  while ((await isSealed()).length === 0) await sealSome(context)
}

async function sealedRun(team: TestTeam, procedure = twoNotes): Promise<string> {
  const runId = await startRun(team, await seedAgent(team, procedure))
  await seal(runId)
  return runId
}

async function download(team: TestTeam, path: string): Promise<Buffer> {
  const answer = await team.call(`GET ${path}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.bytes
}

async function verify(bundle: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-evidence-'))
  try {
    await writeFile(join(folder, 'bundle.zip'), bundle)
    return await verifyBundle(join(folder, 'bundle.zip'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function filesOf(bundle: Buffer): Promise<Map<string, string>> {
  const entries = await readZip(bundle, { entriesMax: 1000, bytesMax: 100_000_000 })
  return new Map(entries.map(({ path, bytes }) => [path, bytes.toString()]))
}

const evidenceOf = (team: TestTeam, runId: string) => download(team, `/v2/runs/${runId}/evidence`)

const problemsOf = async (bundle: Buffer) => (await verify(bundle)).problems

proves('evidence.bundle', 'the bundle of a run fits, and has what is known of it', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  const bundle = await evidenceOf(team, runId)
  assert.deepEqual(await problemsOf(bundle), [])
  const files = await filesOf(bundle)
  const folder = `runs/${runId}/`
  for (const name of [
    'run.json',
    'build.json',
    'config.json',
    'seals.jsonl',
    'events.jsonl',
    'steps.jsonl',
    'messages.jsonl',
    'requests.jsonl',
    'deliveries.jsonl',
    'evaluations.json',
  ]) {
    assert.ok(files.has(folder + name), name)
  }
  assert.equal(JSON.parse(files.get(`${folder}run.json`)!).status, 'completed')
  assert.match(files.get('report.html')!, /memory_write|run\.completed/)
  assert.equal(files.get(`${folder}seals.jsonl`)!.trim().split('\n').length, 1)
})

proves('evidence.bundle', 'the contents of files are in a bundle if they are asked for', async () => {
  const team = await seedTeam(service)
  const runId = await runWithFile(team, { agent: await seedAgent(team, twoNotes) })
  const contentsOf = async (query: string) =>
    [...(await filesOf(await download(team, `/v2/runs/${runId}/evidence${query}`))).keys()].filter((path) =>
      path.includes('/files/'),
    )
  assert.deepEqual(await contentsOf(''), [])
  assert.equal((await contentsOf('?contents=true')).length, 1)
})

proves('evidence.bundle', 'the bundle of a case has the case and each of its runs', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, twoNotes)
  const queueId = await seedQueue(team)
  const [caseId] = await seedCases(team, queueId, 1)
  const runId = await startRun(team, agentId)
  await seal(runId)
  await sql`update runs set case_id = ${caseId!} where id = ${runId}`
  const bundle = await download(team, `/v2/cases/${caseId}/evidence`)
  // the case is part of what was sealed, and this run had none
  assert.match((await problemsOf(bundle))[0]!.where, /seals\.jsonl/)
  const files = await filesOf(bundle)
  assert.equal(JSON.parse(files.get('case.json')!).id, caseId)
  assert.ok(files.has('timeline.jsonl'))
  assert.ok(files.has(`runs/${runId}/seals.jsonl`))
})

proves('evidence.sealed', 'stopped runs are sealed like completed ones', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, '```wait\n1h\n```\n'))
  await drainRuns(service)
  assert.equal((await team.call(`POST /v2/runs/${runId}/stop`, { body: {} })).status, 200)
  await seal(runId)
  assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
})

proves(
  'evidence.sealed',
  'a run that continues after its end gets a second seal, which takes in the first',
  async () => {
    const team = await seedTeam(service)
    const runId = await sealedRun(team)
    assert.equal((await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And now?' } })).status, 201)
    await seal(runId)
    const bundle = await evidenceOf(team, runId)
    assert.deepEqual(await problemsOf(bundle), [])
    const lines = (await filesOf(bundle)).get(`runs/${runId}/seals.jsonl`)!.trim().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(JSON.parse(line).seal).number),
      [1, 2],
    )
  },
)

proves('evidence.sealed', 'a run that claims another case after its end still fits its first seal', async () => {
  const team = await seedTeam(service)
  const [caseId] = await seedCases(team, await seedQueue(team), 1)
  const runId = await sealedRun(team)
  assert.equal((await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Take one.' } })).status, 201)
  // as case_claim does
  await sql`update runs set case_id = ${caseId!} where id = ${runId}`
  await seal(runId)
  assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
  // as retention does
  await sql`delete from event_batches where run_id = ${runId}`
  assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
})

proves('evidence.sealed', 'a message that is too long for its event is sealed too', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```output\ndone\n```\n')
  const runId = await startRun(team, agentId, { message: 'long '.repeat(10_000) })
  await seal(runId)
  assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
  await sql`update run_messages set text_content = null, text_blob = null where run_id = ${runId} and seq = 1`
  assert.match((await problemsOf(await evidenceOf(team, runId)))[0]!.where, /messages\.jsonl|seals\.jsonl/)
})

proves('evidence.sealed', 'two processes that seal at once seal each run once', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, twoNotes)
  const runs = await Promise.all(Array.from({ length: 20 }, () => startRun(team, agentId)))
  await drainRuns(service)
  // nobody is refused: whoever does not get the row of the cursor has nothing to do
  await Promise.all(Array.from({ length: 8 }, () => sealSome(context)))
  for (const runId of runs) await seal(runId)
  const { seals } = await one(sql<{ seals: number }>`
    select count(*)::int as seals from run_seals where run_id = any(${runs}::uuid[])`)
  assert.equal(seals, runs.length)
})

proves('evidence.sealed', 'however many runs have ended, and however long they are, each is sealed once', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, twoNotes)
  const runs = await Promise.all(Array.from({ length: 7 }, () => startRun(team, agentId)))
  await drainRuns(service)
  // two runs at a time, or one whose log is longer than the share
  const sealed = () => sql`select from run_seals where run_id = any(${runs}::uuid[])`
  while ((await sealed()).length < runs.length) {
    await sealSome(context, { runs: 2, events: 100 })
    await sealSome(context, { runs: 500, events: 1 })
  }
  for (const runId of runs) assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
})

proves('evidence.sealed', 'the runs of two teams that are sealed together have a signature for each team', async () => {
  const teams = await Promise.all([seedTeam(service), seedTeam(service)])
  const runs = await Promise.all(
    teams.map(async (team) => ({ team, runId: await startRun(team, await seedAgent(team, twoNotes)) })),
  )
  for (const { runId } of runs) await seal(runId)
  for (const { team, runId } of runs) {
    assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
    const audited = await sql`
      select from run_seals s join evidence_signatures g on g.id = s.signature_id and g.team_id = ${team.id}
      join audit_log a on a.team_id = ${team.id} and a.operation = 'sign evidence' where s.run_id = ${runId}`
    assert.equal(audited.length, 1)
  }
})

for (const [what, change] of Object.entries({
  'events.jsonl': (id: string) =>
    sql`update event_batches set entries = replace(entries::text, 'Second', 'Third')::json where run_id = ${id} and entries::text like '%Second%'`,
  'steps.jsonl': (id: string) => sql`update run_steps set result = '"other"' where run_id = ${id} and seq = 1`,
  'seals.jsonl': (id: string) => sql`update runs set source = 'schedule' where id = ${id}`,
})) {
  proves('evidence.changed', `what is changed in the database behind ${what} is found there`, async () => {
    const team = await seedTeam(service)
    const runId = await sealedRun(team)
    await change(runId)
    const [first] = await problemsOf(await evidenceOf(team, runId))
    assert.match(first?.where ?? '', new RegExp(what.replace('.', '\\.')))
  })
}

proves('evidence.erased', 'a log that was erased leaves its links', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  await sql`delete from run_messages where run_id = ${runId}`
  await sql`update run_steps set arguments = null, result = null where run_id = ${runId}`
  await sql`update runs set log_erased_at = now() where id = ${runId}`
  const bundle = await evidenceOf(team, runId)
  assert.deepEqual(await problemsOf(bundle), [])
  const files = await filesOf(bundle)
  assert.ok(!files.has(`runs/${runId}/events.jsonl`))
  assert.deepEqual(JSON.parse(files.get('manifest.json')!).runs[0].erased, ['events', 'steps', 'messages'])
})

/** A context whose transactions wait before their commit, once one of them has sealed the run. */
function withGate(runId: string) {
  const sealed = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const transaction: Database['transaction'] = (work) =>
    context.db.transaction(async (inside) => {
      const result = await work(inside)
      if ((await inside`select from run_seals where run_id = ${runId}`).length > 0) {
        sealed.resolve()
        await gate.promise
      }
      return result
    })
  const isSealed = sealed.promise.then(() => true)
  return { gated: { ...context, db: { ...context.db, transaction } }, isSealed, open: gate.resolve }
}

proves('evidence.erasing', 'a run that is deleted while it is sealed leaves no seal', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, twoNotes))
  await drainRuns(service)
  const { gated, isSealed, open } = withGate(runId)
  const sealOnce = () => sealSome(gated).then(() => false)
  let sealing = sealOnce()
  while (!(await Promise.race([isSealed, sealing]))) sealing = sealOnce()
  const { status, text } = await team.call(`DELETE /v2/runs/${runId}`)
  assert.ok(status < 300, `a deletion does not wait: ${text}`)
  open()
  await sealing
  await service.drain()
  assert.deepEqual(await sql`select number from run_seals where run_id = ${runId}`, [])
})

proves('evidence.erasing', 'a bundle is not finished if the log is erased while it is made', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  const asked = { sql, context, teamId: team.id, isWithContents: false, scopes: new Set<never>(), leftOut: () => {} }
  const read = async () => {
    for await (const file of filesOfRun(asked, runId, () => {})) {
      if (file.path === 'steps.jsonl') {
        await sql`update runs set log_erased_at = now() where id = ${runId}`
        await sql`update run_steps set arguments = null, result = null where run_id = ${runId}`
      }
      if ('rows' in file) for await (const row of file.rows) assert.ok(row)
    }
  }
  await assert.rejects(read(), /erased while its bundle was made/)
})

proves('evidence.keys', 'a key that is replaced stays published, and what it signed still fits', async () => {
  const team = await seedTeam(service)
  const before = await sealedRun(team)
  await context.db.transaction((inside) => rotateKey(context.keyring, inside))
  const after = await sealedRun(team)
  const { body } = await service.call('GET /.well-known/runyard-evidence.json')
  assert.deepEqual(body.keys, await publicKeys(sql))
  assert.ok(body.keys.length >= 2)
  assert.equal(body.keys.filter(({ retired_at }: { retired_at: string | null }) => retired_at === null).length, 1)
  for (const runId of [before, after]) assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
})

proves(
  'evidence.scopes',
  'parts that a key may not read are left out, and no key without all events gets a bundle',
  async () => {
    const team = await seedTeam(service, {
      scopes: ['runs:read', 'runs:write', 'agents:write', 'agents:read', 'files:read'],
    })
    const runId = await sealedRun(team)
    const files = await filesOf(await evidenceOf(team, runId))
    assert.deepEqual(JSON.parse(files.get('left_out.json')!), { for_want_of_a_scope: ['evaluations', 'deliveries'] })
    assert.ok(!files.has(`runs/${runId}/deliveries.jsonl`))
    const less = await seedTeam(service, { scopes: ['runs:read', 'runs:write', 'agents:write', 'agents:read'] })
    const refused = await less.call(`GET /v2/runs/${await sealedRun(less)}/evidence`)
    assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'])
  },
)
