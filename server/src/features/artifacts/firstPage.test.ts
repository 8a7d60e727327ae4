// A person makes a first page by hand: with the guide, and with mistakes.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { readFences } from '../../drivers/model/runbook/fences.ts'
import { createArtifact, fenced, finishedArtifact, readArtifact, send } from '../../../test/kit/artifacts.ts'
import { drainRuns } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { pageQuestion } from './messagePlan.ts'

const service = await testApp()
const team = await seedTeam(service)

const lastMessage = async (id: string): Promise<string> =>
  (await team.call(`GET /v2/artifacts/${id}/messages`)).body.data.at(-1).content
const whyNoPage = async (id: string): Promise<string> =>
  (await team.call(`GET /v2/artifacts/${id}/render`)).body.message

const titled = async (message: string): Promise<string> =>
  (await readArtifact(team, await createArtifact(team, { message, title: undefined }))).title

proves(
  'artifacts.guide',
  'every page in the guide is made as it stands there, and nothing of it is missing',
  async () => {
    const guide = await readFile(new URL('../../../../docs/guides/artifacts.md', import.meta.url), 'utf8')
    const examples = readFences(guide).fences.filter(({ info }) => info === 'markdown')
    assert.ok(examples.length > 0)
    for (const { body } of examples) {
      const id = await finishedArtifact(service, team, { message: body, title: undefined })
      assert.equal((await readArtifact(team, id)).title, /^# (.*)/.exec(body)?.[1])
      assert.equal(await lastMessage(id), 'Version 1 of the page is ready.')
      const page = await team.call(`GET /v2/artifacts/${id}/render`)
      assert.match(page.text, /<h1>The last seven days<\/h1>/)
      assert.match(page.text, /Runs by day/)
    }
  },
)

proves('artifacts.explains', 'a page is named by its words, not by its steps', async () => {
  const steps = fenced('tool name=operations_runs id=runs', '{}')
  assert.equal(await titled(`${steps}\nHow we do\n${fenced('html', '<p>x</p>')}`), 'How we do')
  assert.equal(await titled(`${steps}\n${fenced('html', '<p>x</p>')}`), 'Untitled page')
})

proves(
  'artifacts.explains',
  'columns that no row has, and rows without a value, are reported in the chat',
  async () => {
    const message = `${fenced('tool name=operations_runs id=runs', '{"by": "day"}')}
${fenced(
  'html',
  `<bar-chart rows="{{ data.runs.rows }}" x="day" y="compelted"></bar-chart>
<data-table rows="{{ data.runs.lines }}"></data-table>`,
)}`
    const id = await finishedArtifact(service, team, { message })
    const said = await lastMessage(id)
    assert.match(said, /^Version 1 of the page is ready\. Not all of it can be shown\. In its html block, line 1: /)
    assert.match(said, /<bar-chart>: No row has compelted\. The rows have day, .*completed/)
    assert.match(said, /line 2: rows= of <data-table> has no value/)
  },
)

proves('artifacts.explains', 'an artifact without a page says what it waits for', async () => {
  const asking = await createArtifact(team, { message: 'How do we do?' })
  assert.match(await whyNoPage(asking), /until its status is `completed`/)
  await drainRuns(service)
  assert.match(await whyNoPage(asking), /answer `pending_question`/)
  assert.match((await send(team, asking, 'Hello')).body.message, /answer its `pending_question`, or stop it/)
  const wrong = await team.call(`POST /v2/artifacts/${asking}/answer`, {
    body: { answers: { [pageQuestion]: 'Horse' } },
  })
  assert.match(wrong.body.message, /takes one of: Operations today, .*Blank page\.$/)
  await team.call(`POST /v2/artifacts/${asking}/stop`)
  assert.match(await whyNoPage(asking), /was stopped/)
  const failing = await createArtifact(team, {
    message: `${fenced('tool name=operations_runs id=runs', '{"by": "week"}')}\n${fenced('html', '<p>{{ data.runs.by }}</p>')}`,
  })
  await drainRuns(service)
  assert.match(await whyNoPage(failing), /failed: its messages say why/)
  assert.match(await lastMessage(failing), /by must be one of: .*hour, day/)
})
