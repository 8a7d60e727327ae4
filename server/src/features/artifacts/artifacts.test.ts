// Artifacts as people use them: made by a message, changed, stopped, asked about, restored, shared, copied and deleted.
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
import { drainRuns } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { pageQuestion } from './messagePlan.ts'

const service = await testApp()
const team = await seedTeam(service)

const create = (body: object) => team.call('POST /v2/artifacts', { body: { message: 'x', ...body } })
const render = (id: string, of = team) => of.call(`GET /v2/artifacts/${id}/render`)
const messagesOf = async (id: string) => (await team.call(`GET /v2/artifacts/${id}/messages`)).body

proves(
  'artifacts.make',
  'a message with steps and a template becomes a page, by a run that no list shows',
  async () => {
    const made = await team.call('POST /v2/artifacts', { body: { message: pageMessage('Hello'), title: 'Greeting' } })
    assert.equal(made.status, 201, made.text)
    const { artifact_id: id, user_message, status } = made.body
    assert.deepEqual([status, user_message.role, user_message.author_user_id], ['pending', 'user', team.memberId])
    assert.equal((await render(id)).status, 404)
    await drainRuns(service)
    const artifact = await readArtifact(team, id)
    assert.deepEqual(
      [artifact.status, artifact.html_code_present, artifact.current_version, artifact.title, artifact.visibility],
      ['completed', true, 1, 'Greeting', 'private'],
    )
    const page = await render(id)
    assert.match(page.text, /<h1>Hello<\/h1>/)
    assert.match(page.headers['content-type'] ?? '', /^text\/html/)
    assert.match(page.headers['content-security-policy'] ?? '', /sandbox allow-scripts/)
    const { data, total, has_more } = await messagesOf(id)
    assert.deepEqual(
      [data.map((one: { role: string }) => one.role), total, has_more],
      [['user', 'assistant'], 2, false],
    )
    assert.equal(data[0].revision_id, artifact.current_revision_id)
    const runs = await team.call('GET /v2/teams/:teamId/runs')
    assert.deepEqual([runs.body.total, runs.body.data], [0, []])
    const asked = await team.call('GET /v2/teams/:teamId/runs?source=artifact')
    assert.equal(asked.body.total, 1)
  },
)

proves(
  'artifacts.noModel',
  'without a model a message is answered by a question, and the answer becomes a page',
  async () => {
    const id = await createArtifact(team, { message: 'How do we do?', title: undefined })
    await drainRuns(service)
    const asking = await readArtifact(team, id)
    assert.deepEqual([asking.status, asking.title], ['running', 'How do we do?'])
    const { tool_call_id, questions, needs_approver } = asking.pending_question
    assert.equal(needs_approver, false, 'the work itself asks')
    assert.equal(questions[0].question, pageQuestion)
    const answer = (body: object) => team.call(`POST /v2/artifacts/${id}/answer`, { body })
    assert.equal((await answer({ answers: { [pageQuestion]: 'Blank page' }, tool_call_id: newId() })).status, 409)
    assert.equal((await answer({ answers: { [pageQuestion]: 'A horse' } })).status, 400)
    const given = await answer({ answers: { [pageQuestion]: 'Blank page' }, toolCallId: tool_call_id })
    assert.deepEqual([given.status, given.body.ok, given.body.artifact_id], [200, true, id])
    assert.equal((await answer({ answers: { [pageQuestion]: 'Blank page' } })).status, 409)
    await drainRuns(service)
    const artifact = await readArtifact(team, id)
    assert.deepEqual([artifact.status, artifact.current_version, artifact.pending_question], ['completed', 1, null])
    assert.match((await messagesOf(id)).data.at(-1).content, /built-in page “Blank page”/)
  },
)

proves(
  'artifacts.noModel',
  'an approval of the steps is answered with Approve or Reject, and nothing else counts',
  async () => {
    const id = await createArtifact(team, { message: pageMessage('Approved', fenced('approve id=page', 'Show it?')) })
    await drainRuns(service)
    const { pending_question } = await readArtifact(team, id)
    const { question, options } = pending_question.questions[0]
    assert.deepEqual([question, options], ['Show it?', [{ label: 'Approve' }, { label: 'Reject' }]])
    const answer = (answers: object) => team.call(`POST /v2/artifacts/${id}/answer`, { body: { answers } })
    for (const answers of [{}, { 'Show it?': 'Perhaps' }, { other: 'Approve' }])
      assert.equal((await answer(answers)).status, 400)
    assert.equal((await answer({ 'Show it?': 'Approve' })).status, 200)
    await drainRuns(service)
    assert.equal((await readArtifact(team, id)).status, 'completed')
  },
)

proves('artifacts.refused', 'what cannot become a page is refused with every problem', async () => {
  const unknown = await create({ template: 'horse' })
  assert.deepEqual([unknown.status, unknown.body.error], [400, 'invalid_request'])
  assert.match(unknown.body.message, /no template "horse".*blank/)
  const broken = await create({ message: `${fenced('wait', 'for ever')}\n${fenced('http', 'nowhere')}` })
  assert.equal(broken.status, 400)
  assert.match(broken.body.message, /line 2: .*line 6: /)
  const missing = await create({ message: pageMessage('x'), connection_ids: [newId()] })
  assert.match(missing.body.message, /no connection with the id/)
  assert.equal((await create({ message: '' })).status, 400)
})

proves(
  'artifacts.change',
  'a message changes the page: each change is a revision, and one is made at a time',
  async () => {
    const id = await finishedArtifact(service, team)
    const first = await send(team, id, pageMessage('Second'))
    assert.equal(first.status, 200, first.text)
    const busy = await send(team, id, pageMessage('Third'))
    assert.deepEqual([busy.status, busy.body.error], [409, 'artifact_busy'])
    assert.equal((await team.call(`POST /v2/artifacts/${id}/refresh`)).body.error, 'artifact_busy')
    await drainRuns(service)
    const { revisions, total, current_version } = (await team.call(`GET /v2/artifacts/${id}/revisions`)).body
    assert.deepEqual([total, current_version, revisions[0].version, revisions[1].version], [2, 2, 2, 1])
    assert.equal(revisions[0].parent_revision_id, revisions[1].id)
    assert.match((await render(id)).text, /Second/)
    const before = await team.call(`GET /v2/artifacts/${id}/revisions/${revisions[1].id}/render`)
    assert.match(before.text, /First/)
  },
)

proves('artifacts.keepsLast', 'work that fails or is stopped leaves the page as it was', async () => {
  const id = await finishedArtifact(service, team)
  await send(team, id, pageMessage('Broken', fenced('tool name=no_such_tool id=page', '{}')))
  await drainRuns(service)
  const failed = await readArtifact(team, id)
  assert.deepEqual([failed.status, failed.current_version], ['failed', 1])
  assert.match((await messagesOf(id)).data.at(-1).content, /no_such_tool/)
  await send(team, id, pageMessage('Waiting', fenced('ask id=page', 'Really?')))
  await drainRuns(service)
  assert.equal((await readArtifact(team, id)).status, 'running')
  const stopped = await team.call(`POST /v2/artifacts/${id}/stop`, { body: { partial_text: 'I was about to' } })
  assert.deepEqual(
    [stopped.status, stopped.body.status, stopped.body.artifact.status],
    [200, 'interrupted', 'interrupted'],
  )
  assert.equal((await messagesOf(id)).data.at(-1).content, 'I was about to')
  assert.equal((await team.call(`POST /v2/artifacts/${id}/stop`)).body.status, 'interrupted')
  assert.match((await render(id)).text, /First/)
})

proves('artifacts.refresh', 'a refresh runs the steps again and gives the current page new data', async () => {
  const id = await finishedArtifact(service, team)
  const before = await readArtifact(team, id)
  await team.call(`PATCH /v2/artifacts/${id}`, { body: { title: 'Renamed' } })
  const asked = await team.call(`POST /v2/artifacts/${id}/refresh`)
  assert.deepEqual([asked.status, asked.body.status], [200, 'pending'])
  await drainRuns(service)
  const after = await readArtifact(team, id)
  assert.deepEqual([after.status, after.current_version, after.refresh_error], ['completed', 1, null])
  assert.ok(after.last_refresh_at > before.last_refresh_at)
  assert.equal((await messagesOf(id)).total, 2)
  assert.match((await render(id)).text, /Renamed/)
})

proves('artifacts.refreshFails', 'a refresh that fails says why, and the last good page stays', async () => {
  const id = await finishedArtifact(service, team)
  await team.sql`
    update builds set config = jsonb_set(config, '{data,input}', '"\`\`\`tool name=gone\\n{}\\n\`\`\`"')
    where id = (select page_build_id from artifacts where id = ${id})`
  await team.call(`POST /v2/artifacts/${id}/refresh`)
  await drainRuns(service)
  const { status, refresh_error } = await readArtifact(team, id)
  assert.equal(status, 'failed')
  assert.match(refresh_error, /gone/)
  assert.match((await render(id)).text, /First/)
})

proves('artifacts.branches', 'restoring moves the head, and the chat shows the messages of its branch', async () => {
  const id = await finishedArtifact(service, team)
  for (const word of ['Second', 'Third']) {
    await send(team, id, pageMessage(word))
    await drainRuns(service)
  }
  const revisions = async () => (await team.call(`GET /v2/artifacts/${id}/revisions`)).body
  const [third, second, first] = (await revisions()).revisions
  const restored = await team.call(`POST /v2/artifacts/${id}/revisions/${first.id}/restore`)
  assert.deepEqual(restored.body, { success: true, current_revision_id: first.id, current_version: 1 })
  assert.match((await render(id)).text, /First/)
  assert.equal((await messagesOf(id)).total, 2)
  await send(team, id, pageMessage('Other'), { from_revision_id: second.id })
  await drainRuns(service)
  const after = await revisions()
  assert.deepEqual(
    [
      after.total,
      after.current_version,
      after.revisions[0].parent_revision_id,
      after.revisions[0].restored_from_version,
    ],
    [4, 4, second.id, 2],
  )
  assert.equal((await messagesOf(id)).total, 6)
  await team.call(`POST /v2/artifacts/${id}/revisions/${third.id}/restore`)
  assert.equal((await messagesOf(id)).total, 6)
  await team.call(`POST /v2/artifacts/${id}/refresh`)
  await drainRuns(service)
  assert.match((await render(id)).text, /Third/)
  const older = await team.call(`GET /v2/artifacts/${id}/messages?limit=2`)
  assert.equal(older.body.has_more, true)
  const before = await team.call(`GET /v2/artifacts/${id}/messages?limit=10&before=${older.body.data[0].id}`)
  assert.deepEqual([before.body.data.length, before.body.has_more], [4, false])
})

proves('artifacts.source', 'the source is the steps and the template of the current page', async () => {
  const id = await finishedArtifact(service, team)
  const { body } = await team.call(`GET /v2/artifacts/${id}/source`)
  assert.match(body.source.procedure, /```tool name=artifact_read id=page/)
  assert.match(body.source.html, /<h1>First<\/h1>/)
  assert.equal(body.source.version, 1)
  const blank = await createArtifact(team)
  assert.equal((await team.call(`GET /v2/artifacts/${blank}/source`)).body.source, null)
})

proves('artifacts.connections', 'connections are attached once, listed and removed', async () => {
  const id = await finishedArtifact(service, team)
  const connection_id = await seeders['connection']!(team, {})
  const attach = () => team.call(`POST /v2/artifacts/${id}/connections`, { body: { connection_id } })
  assert.equal((await attach()).status, 201)
  assert.equal((await attach()).body.error, 'already_attached')
  const listed = await team.call(`GET /v2/artifacts/${id}/connections`)
  assert.deepEqual(
    listed.body.connections.map((one: { id: string }) => one.id),
    [connection_id],
  )
  const configured = await team.sql<{ ids: string[] }>`
    select b.config -> 'data' -> 'connections' as ids from builds b join artifacts a on a.page_build_id = b.id where a.id = ${id}`
  assert.deepEqual(configured, [{ ids: [connection_id] }])
  const removed = await team.call(`DELETE /v2/artifacts/${id}/connections/${connection_id}`)
  assert.equal(removed.status, 200)
  assert.equal((await team.call(`DELETE /v2/artifacts/${id}/connections/${connection_id}`)).status, 404)
})

proves('artifacts.copy', 'a copy has the page, and neither chat, sharing nor connections', async () => {
  const id = await finishedArtifact(service, team)
  await team.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility: 'public' } })
  const copy = await team.call(`POST /v2/artifacts/${id}/duplicate`)
  assert.equal(copy.status, 201, copy.text)
  const { artifact } = copy.body
  assert.deepEqual(
    [artifact.status, artifact.title, artifact.visibility, artifact.public_url, artifact.refresh_frequency],
    ['completed', 'Tested (copy)', 'private', null, null],
  )
  assert.equal((await messagesOf(artifact.id)).total, 0)
  assert.match((await render(artifact.id)).text, /First/)
  await team.call(`POST /v2/artifacts/${artifact.id}/refresh`)
  await drainRuns(service)
  assert.equal((await readArtifact(team, artifact.id)).status, 'completed')
})

proves('artifacts.delete', 'a deleted artifact is gone with its page, its chat and its work', async () => {
  const id = await finishedArtifact(service, team)
  await send(team, id, pageMessage('Waiting', fenced('ask id=page', 'Really?')))
  await drainRuns(service)
  const { body } = await team.call('GET /v2/teams/:teamId/runs?source=artifact&status=waiting')
  assert.equal((await team.call(`DELETE /v2/artifacts/${id}`)).status, 200)
  assert.equal((await team.call(`GET /v2/artifacts/${id}`)).status, 404)
  assert.equal((await render(id)).status, 404)
  const left = await team.sql`select id from artifact_messages where artifact_id = ${id}`
  assert.deepEqual(left, [])
  const [run] = await team.sql<{ status: string }>`select status from runs where id = ${body.data[0].id}`
  assert.equal(run?.status, 'stopped')
})
