// What a colleague can and cannot reach through a shared artifact: its runs, private connections, and pictures.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import {
  createArtifact,
  fenced,
  finishedArtifact,
  pageMessage,
  readArtifact,
  send,
} from '../../../test/kit/artifacts.ts'
import { seedColleague } from '../../../test/kit/cases.ts'
import { setRules } from '../../../test/kit/guardrails.ts'
import { drainRuns } from '../../../test/kit/runs.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { refreshDue } from './refreshDue.ts'

const service = await testApp()
const creator = await seedTeam(service)
const colleague = await seedColleague(creator, 'Colleague', ['*'])

const share = (id: string, visibility: string, permission: string) =>
  creator.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility, permission } })

/** On whose behalf the latest work acts. */
async function latestActsFor(id: string): Promise<string[]> {
  const [run] = await creator.sql<{ acts_for: string[] }>`
    select r.acts_for from runs r join artifacts a on a.agent_id = r.agent_id
    where a.id = ${id} and r.parent_run_id is null order by r.run_number desc limit 1`
  return (run?.acts_for ?? []).toSorted()
}

async function refreshedByClock(id: string): Promise<string[]> {
  await creator.sql`
    update artifacts set refresh_frequency = 'hourly', next_refresh_at = now() - interval '1 second' where id = ${id}`
  await refreshDue({ context: service.context, signal: new AbortController().signal })
  await drainRuns(service)
  return latestActsFor(id)
}

const both = [creator.memberId, colleague.memberId].toSorted()
const attach = (by: TestTeam, id: string, connection_id: string) =>
  by.call(`POST /v2/artifacts/${id}/connections`, { body: { connection_id } })

proves(
  'artifacts.actsFor',
  'work acts for its creator alone until somebody else has changed the artifact',
  async () => {
    const id = await finishedArtifact(service, creator)
    await share(id, 'team', 'edit')
    assert.deepEqual(await refreshedByClock(id), [creator.memberId])
    await colleague.call(`POST /v2/artifacts/${id}/refresh`)
    await drainRuns(service)
    assert.deepEqual(await latestActsFor(id), both, 'a refresh acts for whoever asked for it')
    assert.deepEqual(await refreshedByClock(id), [creator.memberId], 'which changes nothing of the artifact')
  },
)

proves('artifacts.actsFor', 'whatever a colleague changed, no later work acts for the creator alone', async () => {
  const connectionId = await seeders['connection']!(creator, {})
  const ways: Record<string, (id: string) => Promise<unknown>> = {
    message: (id) => send(colleague, id, pageMessage('Theirs')),
    attach: (id) => attach(colleague, id, connectionId),
    detach: async (id) => {
      await attach(creator, id, connectionId)
      await colleague.call(`DELETE /v2/artifacts/${id}/connections/${connectionId}`)
    },
    restore: async (id) => {
      const { current_revision_id } = await readArtifact(creator, id)
      await colleague.call(`POST /v2/artifacts/${id}/revisions/${current_revision_id}/restore`)
    },
    answer: async (id) => {
      await send(creator, id, pageMessage('Asks', fenced('ask id=page', 'Really?')))
      await drainRuns(service)
      await colleague.call(`POST /v2/artifacts/${id}/answer`, { body: { answers: { 'Really?': 'yes' } } })
    },
  }
  for (const [name, change] of Object.entries(ways)) {
    const id = await finishedArtifact(service, creator)
    await share(id, 'team', 'edit')
    await change(id)
    await drainRuns(service)
    assert.deepEqual(await refreshedByClock(id), both, name)
    await share(id, 'private', 'view')
    // neither new words of the creator nor another connection make the colleague's words the creator's
    await attach(creator, id, await seeders['connection']!(creator, {}))
    await send(creator, id, pageMessage('Mine again'))
    await drainRuns(service)
    assert.deepEqual(await latestActsFor(id), both, name)
    assert.deepEqual(await refreshedByClock(id), both, name)
    const copy = await creator.call(`POST /v2/artifacts/${id}/duplicate`)
    assert.deepEqual(await refreshedByClock(copy.body.id), both, name)
  }
})

const readsRuns = (id: string) => fenced(`tool name=operations_runs id=${id}`, '{"by": "day", "last": "7d"}')

proves(
  'artifacts.approvals',
  'a call that is held back is allowed only by who may approve, and by its id',
  async () => {
    const team = await seedTeam(service)
    const writer = await seedColleague(team, 'Writer', ['artifacts:read', 'artifacts:write'])
    const approver = await seedColleague(team, 'Approver', ['artifacts:read', 'artifacts:write', 'approvals:write'])
    await setRules([service], team, { always_ask: ['operations_runs'] })
    const id = await createArtifact(writer, { message: pageMessage('Held', readsRuns('one') + readsRuns('page')) })
    await drainRuns(service)
    await writer.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility: 'team', permission: 'edit' } })
    const { tool_call_id, questions, needs_approver } = (await readArtifact(writer, id)).pending_question
    const title = 'Allow operations_runs?'
    assert.deepEqual([questions[0].question, needs_approver], [title, true])
    const answer = (by: TestTeam, more: object, says = 'Approve') =>
      by.call(`POST /v2/artifacts/${id}/answer`, { body: { answers: { [title]: says }, ...more } })
    for (const says of ['Approve', 'Reject']) {
      const refused = await answer(writer, { tool_call_id }, says)
      assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'])
    }
    const unnamed = await answer(approver, {})
    assert.deepEqual([unnamed.status, unnamed.body.error], [400, 'invalid_request'])
    assert.equal((await answer(approver, { tool_call_id })).status, 200)
    await drainRuns(service)
    // the next call asks the same, and the answer to the first is none for it
    const next = (await readArtifact(writer, id)).pending_question
    assert.deepEqual([next.questions[0].question, next.tool_call_id === tool_call_id], [title, false])
    assert.equal((await answer(approver, { tool_call_id })).status, 409)
    assert.equal((await answer(approver, { tool_call_id: next.tool_call_id })).status, 200)
    await drainRuns(service)
    assert.equal((await readArtifact(writer, id)).status, 'completed')
  },
)

proves(
  'artifacts.approvals',
  'whether a call that may have happened is made once more is decided only by who may approve, and by its id',
  async () => {
    const team = await seedTeam(service)
    const writer = await seedColleague(team, 'Writer', ['artifacts:read', 'artifacts:write'])
    const approver = await seedColleague(team, 'Approver', ['artifacts:read', 'artifacts:write', 'approvals:write'])
    await setRules([service], team, { always_ask: ['http_request'] })
    const pays = fenced('http id=page', 'POST https://shop.example/pay\n\nnow')
    const id = await createArtifact(writer, { message: pageMessage('Paid', pays) })
    await drainRuns(service)
    await writer.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility: 'team', permission: 'edit' } })
    const [held] = await team.sql<{ run_id: string; step: number }>`
      select h.run_id, h.step from human_requests h where h.team_id = ${team.id} and h.status = 'pending'`
    const { run_id, step } = held!
    const allow = { answers: { 'Allow http_request?': 'Approve' } }
    const { tool_call_id: first } = (await readArtifact(writer, id)).pending_question
    const allowed = await approver.call(`POST /v2/artifacts/${id}/answer`, { body: { ...allow, tool_call_id: first } })
    assert.equal(allowed.status, 200, allowed.text)
    // as a process leaves it that dies while it makes the call
    await team.sql`update run_steps set state = 'intent', attempt = 1 where run_id = ${run_id} and seq = ${step}`
    await team.sql`update runs set status = 'running', waiting_on = null, worker = null, admitted_at = now() where id = ${run_id}`
    await drainRuns(service)
    const { tool_call_id, questions, needs_approver } = (await readArtifact(writer, id)).pending_question
    assert.deepEqual([questions[0].question, needs_approver], ['Did this call happen?', true])
    const answer = (by: TestTeam, says: string, more: object = { tool_call_id }) =>
      by.call(`POST /v2/artifacts/${id}/answer`, { body: { answers: { 'Did this call happen?': says }, ...more } })
    for (const { label } of questions[0].options) {
      const refused = await answer(writer, label)
      assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'], label)
    }
    const unnamed = await answer(approver, 'It happened', {})
    assert.deepEqual([unnamed.status, unnamed.body.error], [400, 'invalid_request'])
    assert.equal((await answer(approver, 'It happened')).status, 200)
    await drainRuns(service)
    assert.equal((await readArtifact(writer, id)).pending_question, null)
  },
)

proves('artifacts.approvals', 'a call that needs two people is not allowed by one who answers twice', async () => {
  const team = await seedTeam(service)
  const second = await seedColleague(team, 'Second', ['artifacts:read', 'artifacts:write', 'approvals:write'])
  await setRules([service], team, { two_person: ['operations_runs'] })
  const id = await createArtifact(team, { message: pageMessage('Held', readsRuns('page')) })
  await drainRuns(service)
  await team.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility: 'team', permission: 'edit' } })
  const { tool_call_id } = (await readArtifact(team, id)).pending_question
  const body = { answers: { 'Allow operations_runs?': 'Approve' }, tool_call_id }
  const answer = (by: TestTeam) => by.call(`POST /v2/artifacts/${id}/answer`, { body })
  assert.equal((await answer(team)).status, 200)
  assert.equal((await answer(team)).status, 409)
  assert.equal((await readArtifact(team, id)).status, 'running')
  assert.equal((await answer(second)).status, 200)
  await drainRuns(service)
  assert.equal((await readArtifact(team, id)).status, 'completed')
})

proves('artifacts.runs', 'only members who may edit an artifact can change its runs', async () => {
  const made = await createArtifact(creator, { message: pageMessage('Asks', fenced('approve id=page', 'Really?')) })
  await drainRuns(service)
  const [run] = await creator.sql<{ id: string; request: string }>`
    select r.id, h.id as request from runs r join artifacts a on a.run_id = r.id join human_requests h on h.run_id = r.id
    where a.id = ${made}`
  assert.ok(run)
  await share(made, 'team', 'view')
  const changes: [string, object?][] = [
    [`POST /v2/runs/${run.id}/stop`],
    [`POST /v2/runs/${run.id}/human-requests/${run.request}/respond`, { approved: true }],
    [`POST /v2/runs/${run.id}/human-requests/${run.request}/cancel`],
    [`DELETE /v2/runs/${run.id}`],
  ]
  for (const [route, body] of changes) {
    const refused = await colleague.call(route, { ...(body && { body }) })
    assert.deepEqual([refused.status, refused.body.error], [403, 'forbidden'], route)
  }
  assert.equal((await colleague.call(`GET /v2/runs/${run.id}`)).status, 200)
  await share(made, 'team', 'edit')
  assert.equal((await colleague.call(`POST /v2/runs/${run.id}/stop`)).status, 200)
})

proves(
  'artifacts.pictures',
  'the URL of a shared picture works no more when the artifact is private again',
  async () => {
    const id = await finishedArtifact(service, creator)
    const bytes = Buffer.from('a picture')
    await creator.sql`
    with blob as (
      insert into blobs (id, sha256, size_bytes) values (${newId()}, sha256(${bytes}), ${bytes.length}) returning id, sha256
    ), chunk as (insert into blob_chunks (blob_id, n, bytes) select id, 0, ${bytes} from blob)
    update artifact_revisions set picture_sha256 = (select sha256 from blob) where artifact_id = ${id}`
    const get = async (url: string) => {
      const { pathname, search } = new URL(url)
      return (await service.call(`GET ${pathname}${search}`)).status
    }
    const own = (await readArtifact(creator, id)).thumbnail_url
    await share(id, 'team', 'view')
    const shared = (await readArtifact(colleague, id)).thumbnail_url
    assert.deepEqual([await get(own), await get(shared)], [200, 200])
    await share(id, 'private', 'view')
    assert.deepEqual([await get(own), await get(shared)], [200, 404])
  },
)
