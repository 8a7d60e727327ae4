// What a team looks at besides its work: usage, evaluations and artifacts, as a person uses these screens.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Runyard } from '../../sdk/src/index.ts'
import { scopes } from '../../server/src/kit/scopes.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { pageOfRuns, untilAsked, untilEvaluated, untilPage } from './kit/everyScreen.ts'
import { agentInput, sampleAgents } from './kit/sampleAgents.ts'
import { untilStatus } from './kit/sampleData.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

/** The text of the file that the action saves. */
async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

proves(
  'console.usage',
  'usage leads from the bar of an agent to its runs, says what happens at a limit, and is saved as CSV',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      const { agent_id } = await sdk.agents.create(agentInput('Address checker', sampleAgents['Address checker']))
      const { run_id } = await sdk.runs.start({ agent_id, message: { address: 'Long Lane 4' } })
      await untilStatus(sdk, run_id, 'completed')
      await page.getByRole('link', { name: 'Usage' }).click()
      await page.getByText('At 100 %: more runs wait as pending').waitFor()
      await page.getByRole('link', { name: 'Runs', exact: true }).last().click()
      const file = await saved(page, async () => {
        await page.getByRole('button', { name: 'CSV' }).click()
        await page.getByRole('menuitem', { name: 'By agent' }).click()
      })
      assert.match(file.name, /^usage-by-agent-\d{4}-\d\d-01\.csv$/)
      assert.match(file.text, new RegExp(`\\r\\n${agent_id},Address checker,false,1,`))
      await page.getByRole('list', { name: 'Usage by agent' }).getByRole('link', { name: 'Address checker' }).click()
      await page.waitForURL(/\/runs\?agent_id=/)
      await page.locator(`a[href^="/runs/${run_id}"]`).first().waitFor()
    },
    { path: '/' },
  ),
)

proves(
  'console.evaluations',
  'evaluations lead from an agent to the runs that failed a check, and a person’s mark shows where the two differ',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      const { agent_id } = await sdk.agents.create(agentInput('Price watch', sampleAgents['Price watch']))
      const { run_id } = await sdk.runs.start({ agent_id, message: {} })
      await untilStatus(sdk, run_id, 'failed')
      await untilEvaluated(sdk, agent_id, run_id)
      await page.getByRole('link', { name: 'Evaluations' }).click()
      await page
        .getByRole('list', { name: /by agent$/ })
        .getByRole('link', { name: /^Price watch/ })
        .click()
      await page.getByRole('list', { name: 'Checks that fail most' }).getByRole('link').first().click()
      await page.waitForURL(/flag=ended_by_itself/)
      await page.getByRole('button', { name: /^Good( 1)?: run/ }).click()
      await page.getByText('Good, but it failed').waitFor()
      assert.equal((await sdk.evaluations.markAgreement(agent_id)).agreement, 0)
      await page.getByRole('link', { name: 'failed ended_by_itself' }).click()
      await page.getByRole('region', { name: 'Worst runs' }).getByRole('table').getByRole('link').first().click()
      await page.waitForURL(new RegExp(`/runs/${run_id}\\?tab=evaluation`))
      // the page before has such buttons too, and may still be there for a moment
      await page.getByRole('region', { name: 'The run', exact: true }).waitFor()
      await page.getByRole('button', { name: /^Good( 1)?: run/, pressed: true }).waitFor()
      await page.getByRole('button', { name: /^Note on run/ }).click()
      await page.getByLabel('Note', { exact: true }).fill('The price was right all the same.')
      await page.getByRole('button', { name: 'Save' }).click()
      const written = page.getByRole('list', { name: 'Marks of people' })
      await written.getByText('The price was right all the same.').waitFor()
      // another verdict keeps the note
      await page.getByRole('button', { name: /^Bad( 1)?: run/ }).click()
      await written.getByText('bad').waitFor()
      const [{ verdict, note } = {}] = (await sdk.evaluations.listMarks(run_id)).marks
      assert.deepEqual([verdict, note], ['bad', 'The price was right all the same.'])
    },
    { path: '/' },
  ),
)

const frameOf = (page: Page) => page.frameLocator('iframe[sandbox]')

proves(
  'console.artifacts',
  'a person makes a page, selects an element of it, asks about that, and restores the revision before',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      await page.getByRole('button', { name: 'New artifact' }).first().click()
      await page.getByRole('radio', { name: /^Described/ }).check()
      await page.getByLabel('What shall it show?').fill(pageOfRuns('First page'))
      await page.getByRole('button', { name: 'Make it' }).click()
      await frameOf(page).getByRole('heading', { name: 'First page' }).nth(1).waitFor()
      const [, id = ''] = /artifacts\/([^?]+)/.exec(page.url()) ?? []
      await page.getByRole('button', { name: 'Select an element' }).click()
      // the frame is told by a message; from then on its parts can be reached by keys too
      await frameOf(page).locator('h2[tabindex="0"]').waitFor()
      await frameOf(page).getByRole('heading', { name: 'First page' }).nth(1).click()
      await page
        .getByTitle(/main:nth-child/)
        .getByText('First page')
        .waitFor()
      await page.getByLabel('What shall change?').fill(pageOfRuns('Second page'))
      await page.keyboard.press('Control+Enter')
      await frameOf(page).getByRole('heading', { name: 'Second page' }).waitFor()
      const { data } = await sdk.artifacts.listMessages(id)
      const about = data.find(({ selected_element }) => selected_element !== null)?.selected_element
      assert.deepEqual([about?.tag_name, about?.outer_html], ['h2', '<h2>First page</h2>'])
      await page.getByRole('link', { name: /^Revisions/ }).click()
      await page.getByRole('button', { name: 'Restore' }).click()
      await frameOf(page).getByRole('heading', { name: 'First page' }).nth(1).waitFor()
      assert.equal((await sdk.artifacts.get(id)).artifact.current_version, 1)
    },
    { path: '/artifacts' },
  ),
)

proves(
  'console.artifacts.share',
  'a public link works without signing in until the page is unpublished',
  needsLongConsole,
  story(
    async ({ page, sdk, open, mayLog }) => {
      const { artifact_id: id } = await sdk.artifacts.create({ message: pageOfRuns('For everybody') })
      await untilPage(sdk, id, 1)
      await page.goto(`${new URL(page.url()).origin}/artifacts/${id}`)
      await page.getByRole('button', { name: /^Share/ }).click()
      await page.getByRole('radio', { name: /^Public link/ }).check()
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByRole('button', { name: /^Copy public link/ }).waitFor()
      const url = (await sdk.artifacts.get(id)).artifact.public_url ?? ''
      const stranger = await open({ key: null, path: new URL(url).pathname })
      await stranger.getByRole('heading', { name: 'For everybody' }).first().waitFor()
      await page.getByRole('radio', { name: /^Private/ }).check()
      await page.getByRole('button', { name: 'Unpublish' }).click()
      await page.getByText('The public link no longer works').waitFor()
      mayLog(/404/)
      await stranger.reload()
      await stranger.getByText('no longer public').waitFor()
      const file = await saved(page, async () => {
        await page.getByRole('button', { name: 'Export' }).click()
        await page.getByRole('menuitem', { name: 'HTML' }).click()
      })
      assert.match(file.text, /For everybody/)
    },
    { path: '/artifacts' },
  ),
)

const failing = '```http id=page\nGET http://127.0.0.1:9/none\n```\n\n```html\n<p>x</p>\n```'

proves(
  'console.artifacts.asks',
  'a question of the work is answered in the chat',
  needsLongConsole,
  story(
    async ({ page, sdk }) => {
      const { artifact_id: id } = await sdk.artifacts.create({ message: 'How old are our cases?', title: 'Ages' })
      await page.goto(`${new URL(page.url()).origin}/artifacts/${id}`)
      await page.getByRole('button', { name: /^Queue ageing/ }).click()
      await page.getByRole('button', { name: 'Answer', exact: true }).click()
      await frameOf(page).getByText('All queues as they are now').waitFor()
    },
    { path: '/artifacts' },
  ),
)

proves(
  'console.artifacts.asks',
  'a change that fails leaves the page as it was, and the chat says why',
  needsLongConsole,
  story(
    async ({ page, sdk }) => {
      const { artifact_id: id } = await sdk.artifacts.create({ message: pageOfRuns('Still here') })
      await untilPage(sdk, id, 1)
      await page.goto(`${new URL(page.url()).origin}/artifacts/${id}`)
      await page.getByLabel('What shall change?').fill(failing)
      await page.getByRole('button', { name: /^Send/ }).click()
      await page
        .getByRole('region', { name: 'Messages' })
        .getByText(/could not|failed/)
        .first()
        .waitFor()
      await frameOf(page).getByRole('heading', { name: 'Still here' }).first().waitFor()
    },
    { path: '/artifacts' },
  ),
)

const readsRuns = (id: string) => `\`\`\`tool name=operations_runs id=${id}\n{"by": "day", "last": "7d"}\n\`\`\`\n\n`

/** An artifact of which two calls are held back, one after the other, with the same question. */
async function heldArtifact(sdk: Runyard): Promise<string> {
  await sdk.guardrails.set({ rules: { always_ask: ['operations_runs'] } })
  const message = `${readsRuns('first')}${readsRuns('second')}\`\`\`html\n<p>Both are here</p>\n\`\`\``
  return (await sdk.artifacts.create({ message, title: 'Held' })).artifact_id
}

const approve = (tool_call_id: string) => ({ tool_call_id, answers: { 'Allow operations_runs?': 'Approve' } })

proves(
  'console.artifacts.asks',
  'an answer that was chosen for one call and not sent is not chosen for the next call',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      const id = await heldArtifact(sdk)
      const first = await untilAsked(sdk, id)
      await page.goto(`${new URL(page.url()).origin}/artifacts/${id}`)
      await page.getByRole('button', { name: 'Approve', pressed: false }).click()
      await page.getByRole('button', { name: 'Approve', pressed: true }).waitFor()
      // the page sees the second question right after the first
      const asksAgain = Promise.withResolvers<void>()
      await page.route(`**/v2/artifacts/${id}`, (route) => asksAgain.promise.then(() => route.continue()))
      await sdk.artifacts.answer(id, approve(first))
      const second = await untilAsked(sdk, id, first)
      asksAgain.resolve()
      await page.getByRole('button', { name: 'Approve', pressed: false }).waitFor()
      await page.getByRole('button', { name: 'Answer', exact: true, disabled: true }).waitFor()
      await sdk.artifacts.answer(id, approve(second))
      await frameOf(page).getByText('Both are here').waitFor()
      await sdk.guardrails.set({ rules: {} })
    },
    { path: '/artifacts' },
  ),
)

proves(
  'console.artifacts.asks',
  'whoever may not approve reads what is asked about a call, and why they cannot answer, without a form',
  needsLongConsole,
  story(async ({ sdk, open }) => {
    const id = await heldArtifact(sdk)
    await untilAsked(sdk, id)
    const { secret: key } = await sdk.apiKeys.create({
      name: 'Writes pages',
      scopes: scopes.filter((scope) => scope !== 'approvals:write'),
    })
    const theirs = await open({ key, path: `/artifacts/${id}` })
    const question = theirs.getByRole('region', { name: 'Open question' })
    await question.getByText('Allow operations_runs?').waitFor()
    await question.getByText('You need the scope approvals:write').waitFor()
    assert.equal(await question.getByRole('button').count(), 0)
    assert.deepEqual(await axe(theirs), [])
    await sdk.artifacts.stop(id)
    await sdk.guardrails.set({ rules: {} })
  }),
)
