// The chat of an artifact with a model: what the model is told, what its tools do, and what becomes of the page.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import type { FakeAnswer } from '../../../test/fakes/fakeProvider.ts'
import { createArtifact, fenced, readArtifact, send } from '../../../test/kit/artifacts.ts'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { drainRuns, seedAgent, startRun, readRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const model = 'anthropic:claude-sonnet-4-5'
const service = await testApp({
  config: { anthropicKey: 'sk-ant-canary-1234567890', anthropicUrl: provider.url, model },
})
const team = await seedTeam(service)

const calls = (name: string, given: object = {}): FakeAnswer => ({ calls: [{ name, arguments: given }] })
const ends: FakeAnswer = { text: 'The page shows your runs.' }
const steps = fenced('tool name=operations_runs id=runs', '{"by": "status", "last": "24h"}')
const html = '<h2>Runs</h2>\n<p>In all: {{ data.runs.totals.runs }}</p>'

/** Everything that the latest request told the model. */
const lastRequest = (): string => JSON.stringify(provider.requests.at(-1)?.body)
const render = async (id: string): Promise<string> => (await team.call(`GET /v2/artifacts/${id}/render`)).text

async function made(...answers: FakeAnswer[]): Promise<string> {
  provider.answer(...answers)
  const id = await createArtifact(team, { message: 'Show our runs.', title: 'Our runs' })
  await drainRuns(service)
  return id
}

proves(
  'artifacts.chat',
  'a model saves steps and a template, gets their data, and its last words are the answer',
  async () => {
    const id = await made(calls('artifact_read'), calls('artifact_save', { procedure: steps, html }), ends)
    const { status, current_version } = await readArtifact(team, id)
    assert.deepEqual([status, current_version], ['completed', 1])
    assert.match(lastRequest(), /saved.*totals/)
    assert.match(await render(id), /In all: 0/)
    const { data } = (await team.call(`GET /v2/artifacts/${id}/messages`)).body
    assert.deepEqual([data.at(-1).role, data.at(-1).content], ['assistant', 'The page shows your runs.'])
  },
)

proves(
  'artifacts.chat',
  'a later message brings the conversation, the element that it speaks of, and small edits',
  async () => {
    const id = await made(calls('artifact_save', { procedure: steps, html }), ends)
    const edits = [{ in: 'html', find: 'In all', replace: 'Altogether' }]
    provider.answer(calls('artifact_save', { edits }), { text: 'Done.' })
    const selected_element = { selector: 'p', label: 'In all', tag_name: 'p', outer_html: '<p>In all: 0</p>' }
    const answer = await send(team, id, 'Another word here.', { selected_element })
    assert.equal(answer.status, 200, answer.text)
    await drainRuns(service)
    const told = JSON.stringify(provider.requests.at(-2)?.body)
    for (const words of [/Another word here/, /Show our runs/, /The page shows your runs/, /outer_html/])
      assert.match(told, words)
    assert.match(await render(id), /Altogether: 0/)
    const { data } = (await team.call(`GET /v2/artifacts/${id}/messages`)).body
    assert.deepEqual(data.at(-2).selected_element, selected_element)
  },
)

proves('artifacts.chat', 'what a model saves is checked, and it reads everything that is wrong', async () => {
  const broken = { procedure: fenced('wait', 'for ever'), html: '<script>alert(1)</script>{{ data.nothing }}' }
  const twice = { edits: [{ in: 'html', find: 'runs', replace: 'x' }] }
  const id = await made(
    calls('artifact_save', broken),
    calls('artifact_save', { procedure: fenced('tool name=no_such_tool id=runs', '{}'), html }),
    calls('artifact_save', { procedure: steps, html }),
    calls('artifact_save', twice),
    ends,
  )
  const [, first, second, , third] = provider.requests.slice(-5).map(({ body }) => JSON.stringify(body.messages.at(-1)))
  assert.match(first ?? '', /duration.*script.*nothing/s)
  assert.match(second ?? '', /no_such_tool/)
  assert.match(third ?? '', /occurs more than once in the html/)
  assert.equal((await readArtifact(team, id)).status, 'completed')
})

proves(
  'artifacts.chat',
  'a question of the model waits for a person, and the work continues with the answer',
  async () => {
    const id = await made(calls('human_ask', { title: 'Which?', questions: [{ question: 'Which agent?' }] }))
    const { status, pending_question } = await readArtifact(team, id)
    assert.equal(status, 'running')
    assert.equal(pending_question.questions[0].question, 'Which agent?')
    provider.answer(calls('artifact_save', { procedure: steps, html }), ends)
    const body = { answers: { 'Which agent?': 'All of them' } }
    assert.equal((await team.call(`POST /v2/artifacts/${id}/answer`, { body })).status, 200)
    await drainRuns(service)
    assert.equal((await readArtifact(team, id)).status, 'completed')
  },
)

proves('artifacts.look', 'a model looks at a picture of the page that it has saved', needsBrowser, async () => {
  await made(calls('artifact_save', { procedure: steps, html }), calls('artifact_look'), ends)
  const result = JSON.stringify(provider.requests.at(-1)?.body.messages.at(-1))
  assert.match(result, /"type":"tool_result".*"media_type":"image\/jpeg","data":"\/9j\//)
  assert.match(lastRequest(), /In all/)
})

proves('artifacts.ownTools', 'the tools of pages do nothing in a run that does not work on an artifact', async () => {
  const agentId = await seedAgent(
    team,
    ['artifact_read', 'artifact_save', 'artifact_look']
      .map((name) => fenced(`tool name=${name} on_error=continue id=${name}`, '{}'))
      .join('\n') +
      fenced(
        'output',
        '{{ steps.artifact_read.error }} {{ steps.artifact_save.error }} {{ steps.artifact_look.error }}',
      ),
    { plugins: ['artifacts'], models: { agent: { model: 'builtin:runbook' } } },
  )
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  const { status, output } = await readRun(team, runId)
  assert.equal(status, 'completed')
  assert.equal(output.match(/does not work on an artifact/g)?.length, 3)
})
