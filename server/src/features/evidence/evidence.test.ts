// Evidence of runs: every ended run is sealed and signed, a bundle shows all of it, and what somebody changed in the database is found.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newBundleKey } from '../../../test/kit/evidenceBundle.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedCases, seedQueue } from '../../../test/kit/cases.ts'
import { runWithFile, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { one, type Database } from '../../base/db.ts'
import { keyIdOf } from '../../base/evidence/keys.ts'
import { verifyBundle } from '../../base/evidence/verifyBundle.ts'
import { newId } from '../../base/ids.ts'
import { readZip } from '../../base/zipFile.ts'
import { issueApiKey } from '../credentials/apiKey.ts'
import { rotateKey } from './keys.ts'
import { filesOfRun } from './runFiles.ts'
import { signedText } from './seal.ts'
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
  // nobody is refused: whoever does not get the lock has nothing to do
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
    await sealSome(context, { runs: 2, bytes: 8_000_000 })
    await sealSome(context, { runs: 500, bytes: 1 })
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
  'messages.jsonl': (id: string) => sql`update run_messages set text_content = 'Pay.' where run_id = ${id} and seq = 1`,
  'seals.jsonl': (id: string) => sql`update runs set source = 'schedule' where id = ${id}`,
})) {
  proves('evidence.changed', `what is changed in the database behind ${what} is found there`, async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, twoNotes), { message: 'Do not pay.' })
    await seal(runId)
    await change(runId)
    const [first] = await problemsOf(await evidenceOf(team, runId))
    assert.match(first?.where ?? '', new RegExp(what.replace('.', '\\.')))
  })
}

proves('evidence.late', 'a log that is rewritten in the database and sealed again has a remark', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  const remarksOf = async () => (await verify(await evidenceOf(team, runId))).remarks
  assert.deepEqual(await remarksOf(), [])
  await sql`delete from run_seals where run_id = ${runId}`
  await sql`update event_batches set entries = replace(entries::text, 'Second', 'Third')::json where run_id = ${runId}`
  await sql`update run_messages set tool_call = replace(tool_call::text, 'Second', 'Third')::jsonb where run_id = ${runId}`
  await sql`update evidence_cursor set xid = r.ended_xid - 1 from runs r where r.id = ${runId}`
  const day = 24 * 60 * 60_000
  service.clock.advance(41 * day)
  await seal(runId)
  service.clock.advance(-41 * day)
  assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
  const [remark] = await remarksOf()
  assert.equal(remark?.where, `runs/${runId}/seals.jsonl row 1`)
  assert.match(remark?.what ?? '', /^It was signed 41 days after the last row that it holds\./)
  // as retention does: then the steps say when the run was
  await sql`delete from event_batches where run_id = ${runId}`
  assert.match((await remarksOf())[0]?.what ?? '', /41 days after/)
})

proves('evidence.unsealed', 'what came after the last seal is counted and named', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  const whole = await verify(await evidenceOf(team, runId))
  assert.deepEqual([whole.remarks, whole.runs[0]?.unsealed], [[], { events: 0, steps: 0, messages: 0 }])
  assert.equal((await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'And now?' } })).status, 201)
  const { isTrue, remarks, runs } = await verify(await evidenceOf(team, runId))
  assert.deepEqual([isTrue, runs[0]?.unsealed], [true, { events: 1, steps: 0, messages: 1 }])
  const behind = (section: string) => ({
    where: `runs/${runId}/${section}.jsonl row ${whole.rows[section]! + 1}`,
    what: 'No signed seal holds this row.',
  })
  assert.deepEqual(remarks, [behind('events'), behind('messages')])
})

proves('evidence.unsealed', 'the messages that a retry copies have no event, and are named', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  const { status, body, text } = await team.call(`POST /v2/runs/${runId}/retry`, { body: { from_step: 2 } })
  assert.equal(status, 201, text)
  await seal(body.run_id)
  const { problems, remarks, runs } = await verify(await evidenceOf(team, body.run_id))
  assert.deepEqual(problems, [])
  const { messages } = runs[0]!.unsealed
  assert.ok(messages > 0)
  assert.deepEqual(
    remarks.map(({ where }) => where),
    [`runs/${body.run_id}/messages.jsonl row 1`],
  )
})

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
  const keys = await publishedKeys()
  assert.ok(keys.length >= 2)
  assert.equal(keys.filter(({ retired_at }) => retired_at === null).length, 1)
  for (const runId of [before, after]) assert.deepEqual(await problemsOf(await evidenceOf(team, runId)), [])
})

async function publishedKeys(): Promise<{ id: string; retired_at: string | null }[]> {
  service.clock.advance(5000)
  return (await service.call('GET /.well-known/runyard-evidence.json')).body.keys
}

proves('evidence.keys', 'whoever asks for the keys again within five seconds gets those that were read', async () => {
  const before = await publishedKeys()
  await context.db.transaction((inside) => rotateKey(context.keyring, inside))
  const { body } = await service.call('GET /.well-known/runyard-evidence.json')
  assert.deepEqual(body.keys, before)
  assert.equal((await publishedKeys()).length, before.length + 1)
})

proves('evidence.foreignKeys', 'a key that somebody wrote into the database is not published', async () => {
  await context.db.transaction((inside) => rotateKey(context.keyring, inside))
  const before = await publishedKeys()
  const { publicKey } = newBundleKey()
  const id = keyIdOf(publicKey)
  // the private part of a key of ours, which was sealed for that one
  await sql`
    insert into evidence_keys (id, public_key, private_key, retired_at)
    select ${id}, ${publicKey}, private_key, now() from evidence_keys where retired_at is null`
  assert.deepEqual(await publishedKeys(), before)
  const [changed] = before
  await sql`update evidence_keys set public_key = ${publicKey} where id = ${changed!.id}`
  assert.equal((await publishedKeys()).length, before.length - 1)
  await sql`delete from evidence_keys where id in (${id}, ${changed!.id})`
})

proves('evidence.foreignKeys', 'what such a key signed counts as not signed', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  const key = newBundleKey()
  const id = keyIdOf(key.publicKey)
  const garbage = Buffer.from('garbage')
  await sql`insert into evidence_keys (id, public_key, private_key, retired_at) values (${id}, ${key.publicKey}, ${garbage}, now())`
  const { signature_id, heads } = await one(sql<{ signature_id: string; heads: Buffer }>`
    select signature_id, head as heads from run_seals where run_id = ${runId}`)
  const at = new Date()
  const signature = key.sign(Buffer.from(signedText({ id: signature_id, team_id: team.id, key_id: id, at, heads })))
  await sql`
    update evidence_signatures set key_id = ${id}, created_at = ${at}, heads = ${heads}, signature = ${signature} where id = ${signature_id}`
  const { sealKeyIds, runs, remarks } = await verify(await evidenceOf(team, runId))
  assert.deepEqual([sealKeyIds, runs[0]?.unsigned], [[], 1])
  assert.match(remarks[0]?.what ?? '', /no signed seal/)
  await sql`delete from evidence_keys where id = ${id}`
})

proves('evidence.bundle', 'a request that two people must approve has each approval', async () => {
  const team = await seedTeam(service)
  const runId = await sealedRun(team)
  const approvals = [{ user_id: team.memberId, at: '2026-01-02T03:04:05.006Z' }]
  await sql`
    insert into human_requests (id, team_id, run_id, step, type, title, approvals_needed, approvals)
    values (${newId()}, ${team.id}, ${runId}, 1, 'approval', 'Pay?', 2, ${JSON.stringify(approvals)}::jsonb)`
  const line = (await filesOf(await evidenceOf(team, runId))).get(`runs/${runId}/requests.jsonl`)!
  const shown = JSON.parse(line) as { approvals_needed: number; approvals: object[] }
  assert.deepEqual([shown.approvals_needed, shown.approvals], [2, approvals])
})

const ofRuns = ['runs:read', 'runs:write', 'agents:write']

/** Another key of the team. */
async function withScopes(team: TestTeam, scopes: string[]): Promise<TestTeam> {
  const { id: teamId, memberId } = team
  const { secret: key } = await context.db.transaction((inside) =>
    issueApiKey(inside, { teamId, memberId, name: 'other', scopes }),
  )
  return { ...team, key, call: (route, options) => service.call(route, { key, ...options }) }
}

proves(
  'evidence.scopes',
  'parts that a key may not read are left out, and no key without all events gets a bundle',
  async () => {
    const team = await seedTeam(service, {
      scopes: [...ofRuns, 'agents:read', 'files:read', 'team:read'],
    })
    const runId = await sealedRun(team)
    const files = await filesOf(await evidenceOf(team, runId))
    assert.deepEqual(JSON.parse(files.get('left_out.json')!), { for_want_of_a_scope: ['evaluations', 'deliveries'] })
    assert.ok(!files.has(`runs/${runId}/deliveries.jsonl`))
    const less = await seedTeam(service, { scopes: [...ofRuns, 'agents:read'] })
    const refused = await less.call(`GET /v2/runs/${await sealedRun(less)}/evidence`)
    assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'])
  },
)

const email = 'ada@example.com'

proves('evidence.scopes', 'builds need agents:read, the names and addresses of people team:read', async () => {
  const all = [...ofRuns, 'files:read', 'evals:read', 'webhooks:manage']
  const team = await seedTeam(service, { scopes: all })
  const runId = await sealedRun(team)
  await sql`update members set email = ${email} where id = ${team.memberId}`
  await sql`update runs set user_id = ${team.memberId} where id = ${runId}`
  await sql`
    insert into human_requests (id, team_id, run_id, step, type, title, status, responded_by, responded_at)
    values (${newId()}, ${team.id}, ${runId}, 1, 'approval', 'Pay?', 'responded', ${team.memberId}, now())`
  const path = `/v2/runs/${runId}/evidence`
  const bundle = await download(team, path)
  const files = await filesOf(bundle)
  assert.deepEqual(JSON.parse(files.get('left_out.json')!), { for_want_of_a_scope: ['members', 'build'] })
  assert.ok(!files.has(`runs/${runId}/build.json`) && !files.has(`runs/${runId}/config.json`))
  assert.ok(!bundle.includes(email))
  const whole = await filesOf(await download(await withScopes(team, [...all, 'agents:read', 'team:read']), path))
  for (const name of ['report.html', `runs/${runId}/run.json`, `runs/${runId}/requests.jsonl`])
    assert.ok(whole.get(name)!.includes(email), name)
  assert.ok(!whole.has('left_out.json'))
})

proves('evidence.scopes', 'the bundle of a case needs queues:read and runs:read', async () => {
  const team = await seedTeam(service)
  const [caseId] = await seedCases(team, await seedQueue(team), 1)
  await sql`update members set email = ${email} where id = ${team.memberId}`
  await sql`
    insert into case_events (id, team_id, case_id, type, user_id)
    values (${newId()}, ${team.id}, ${caseId!}, 'claimed', ${team.memberId})`
  const path = `/v2/cases/${caseId}/evidence`
  const few = ['runs:read', 'files:read', 'queues:read']
  for (const missing of few) {
    const scopes = few.filter((scope) => scope !== missing)
    const { status, body } = await (await withScopes(team, scopes)).call(`GET ${path}`)
    assert.deepEqual([status, body.error], [403, 'insufficient_scope'], missing)
  }
  const timelineFor = async (scopes: string[]) =>
    (await filesOf(await download(await withScopes(team, scopes), path))).get('timeline.jsonl')!
  assert.ok(!(await timelineFor(few)).includes(email))
  assert.ok((await timelineFor([...few, 'team:read'])).includes(email))
})
