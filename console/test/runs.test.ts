// The list of runs as an operator uses it: filters, views, new runs, stopping, starting, CSV; also for a narrow role, on a phone, and with
// titles that try to break it.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Runyard } from '../../sdk/src/index.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { agentInput, hostileTitle, sampleAgents } from './kit/sampleAgents.ts'
import { makeMember, untilStatus } from './kit/sampleData.ts'
import { needsConsole, needsLongConsole, stage, untilLive } from './kit/stage.ts'

const story = stage()

type Sampled = 'Address checker' | 'Follow-up' | 'Letter writer'

/** Agents of the service of this file; each is made once. */
const made = new Map<Sampled, Promise<string>>()
const agent = (sdk: Runyard, name: Sampled): Promise<string> => {
  const id = made.get(name) ?? sdk.agents.create(agentInput(name, sampleAgents[name])).then(({ agent_id }) => agent_id)
  made.set(name, id)
  return id
}

/** A run that stays: it waits three hours. */
async function waiting(sdk: Runyard, title: string): Promise<string> {
  const { run_id } = await sdk.runs.start({ agent_id: await agent(sdk, 'Follow-up'), title })
  await untilStatus(sdk, run_id, 'waiting')
  return run_id
}

async function completed(sdk: Runyard, title: string): Promise<string> {
  const { run_id } = await sdk.runs.start({ agent_id: await agent(sdk, 'Address checker'), title })
  await untilStatus(sdk, run_id, 'completed')
  return run_id
}

const titles = async (page: Page): Promise<string[]> => page.locator('tr[data-run] td:nth-child(3) a').allInnerTexts()
const row = (page: Page, title: string) => page.locator('tr[data-run]', { hasText: title })

proves(
  'console.runs',
  'a list filtered by status and agent shows the same after a reload, and in a window that got its address',
  needsLongConsole,
  story(async ({ page, sdk, open, service }) => {
    await Promise.all([waiting(sdk, 'Filtered one'), completed(sdk, 'Filtered two')])
    const { run_id } = await sdk.runs.start({ agent_id: await agent(sdk, 'Letter writer'), title: 'Filtered three' })
    await untilStatus(sdk, run_id, 'failed')
    await page.goto(`${service.baseUrl}/runs`)
    await row(page, 'Filtered three').getByText('model_required').waitFor()
    await page.getByRole('button', { name: /^Filter: Status/ }).click()
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.keyboard.press('Escape')
    await row(page, 'Filtered two').waitFor({ state: 'detached' })
    assert.deepEqual(await titles(page), ['Filtered three'])
    await page.getByRole('button', { name: /^Filter: Status/ }).click()
    await page.getByRole('button', { name: 'Waiting', exact: true }).click()
    await page.keyboard.press('Escape')
    await row(page, 'Filtered one').waitFor()
    await page.keyboard.press('f')
    await page.getByRole('menuitem', { name: 'Agent' }).click()
    await page.getByRole('button', { name: /^Follow-up/ }).click()
    await row(page, 'Filtered three').waitFor({ state: 'detached' })
    assert.deepEqual(await titles(page), ['Filtered one'])
    const path = page.url().slice(service.baseUrl.length)
    await page.reload()
    await row(page, 'Filtered one').waitFor()
    assert.deepEqual(await titles(page), ['Filtered one'])
    const other = await open({ path })
    await row(other, 'Filtered one').waitFor()
    assert.deepEqual(await titles(other), ['Filtered one'])
  }),
)

proves(
  'console.runViews',
  'a view is saved with its filters, opened by a colleague, renamed, deleted, and brought back',
  needsLongConsole,
  story(
    async ({ page, sdk, open }) => {
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Broken')
      await page.getByRole('checkbox', { name: /Share with the team/ }).check()
      await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
      await page.locator('a[aria-current=page]', { hasText: 'Broken' }).waitFor()
      const { key } = await makeMember(sdk, 'Colleague', 'viewer')
      const other = await open({ path: '/runs', key })
      await other.getByRole('link', { name: 'Broken' }).click()
      await other.getByRole('button', { name: 'Filter: Status is Failed' }).waitFor()
      assert.match(other.url(), /status=failed/)
      await page.getByRole('button', { name: 'Change the view Broken' }).click()
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Broke')
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('button', { name: 'Change the view Broke', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('link', { name: 'Broke', exact: true }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('a[aria-current=page]', { hasText: 'Broke' }).waitFor()
    },
    { path: '/runs?status=failed' },
  ),
)

proves(
  'console.runsStay',
  'new runs are offered and not inserted, a run that ends changes where it stands, and nothing is asked again about the others',
  needsConsole,
  story(async ({ page, sdk, service }) => {
    const steady = await waiting(sdk, 'Stays in its place')
    await page.goto(`${service.baseUrl}/runs?status=waiting`)
    await row(page, 'Stays in its place').waitFor()
    const before = await titles(page)
    await untilLive(page)
    await waiting(sdk, 'Newer one')
    await page.getByRole('button', { name: '1 new run, show' }).waitFor()
    assert.deepEqual(await titles(page), before)
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/run-details')) asked.push(searchParams.get('run_ids') ?? '')
    })
    await sdk.runs.stop(steady)
    await row(page, 'Stays in its place').getByText('Stopped', { exact: true }).waitFor()
    await row(page, 'Stays in its place').getByText('Stopped by Admin').waitFor()
    assert.deepEqual([...new Set(asked)], [steady])
    assert.deepEqual(await titles(page), before)
    await page.getByRole('button', { name: '1 new run, show' }).click()
    await row(page, 'Newer one').waitFor()
    await row(page, 'Stays in its place').waitFor({ state: 'detached' })
    assert.equal((await titles(page))[0], 'Newer one')
  }),
)

proves(
  'console.runKeys',
  'by keys alone a run is reached, stopped after a question, and opened',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const id = await waiting(sdk, 'Stopped by a key')
    await page.goto(`${service.baseUrl}/runs`)
    await row(page, 'Stopped by a key').waitFor()
    await page.keyboard.press('j')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Stopped by a key')
    await page.keyboard.press('s')
    await page.getByRole('dialog', { name: /^Stop run \d+\?/ }).waitFor()
    await page.getByRole('button', { name: 'Stop run' }).click()
    await row(page, 'Stopped by a key').getByText('Stopped by Admin').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${id}`)
  }),
)

const allThatFit = async (page: Page, action: string): Promise<void> => {
  await page.getByRole('button', { name: /^All that fit/ }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

proves(
  ['console.runsBulk', 'console.longWork'],
  'all runs that fit are stopped after a question, also when the tab is closed in the middle of it',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const agent_id = await agent(sdk, 'Follow-up')
    const starts = Array.from({ length: 27 }, (_, n) => sdk.runs.start({ agent_id, title: `Flood ${n}` }))
    const ids = (await Promise.all(starts)).map(({ run_id }) => run_id)
    await Promise.all(ids.map((id) => untilStatus(sdk, id, 'waiting')))
    const other = await waiting(sdk, 'Not of the filter')
    await page.goto(`${service.baseUrl}/runs?search=flood`)
    await row(page, 'Flood').nth(24).waitFor()
    await allThatFit(page, 'Stop all that fit')
    const dialog = page.getByRole('dialog', { name: 'Stop 27 runs?' })
    await dialog.getByText('and 22 more').waitFor()
    assert.match(await dialog.innerText(), /Words\s+flood/)
    assert.deepEqual(await axe(page), [])
    // three are done, the next never reach the service
    let sent = 0
    await page.route('**/stop', (route) => ((sent += 1) > 3 ? undefined : route.continue()))
    await dialog.getByRole('button', { name: 'Stop 27 runs' }).click()
    await page.getByRole('region', { name: 'Long work' }).getByText('Stopping runs').waitFor()
    const second = await page.context().newPage()
    await second.goto(`${service.baseUrl}/runs`)
    const dock = second.getByRole('region', { name: 'Long work' })
    await dock.getByText('Stopping runs').waitFor()
    await page.close()
    await dock.getByText('27 runs stopped').waitFor()
    for (const id of ids) assert.equal((await sdk.runs.get(id)).run.status, 'stopped')
    assert.equal((await sdk.runs.get(other)).run.status, 'waiting')
  }),
)

proves(
  'console.runsBulk',
  'selected runs are started again, each once',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    await Promise.all(['one', 'two', 'three'].map((name) => completed(sdk, `Again ${name}`)))
    await page.goto(`${service.baseUrl}/runs?search=again`)
    await row(page, 'Again one').getByRole('checkbox').click()
    await row(page, 'Again two').getByRole('checkbox').click()
    const bar = page.getByRole('region', { name: 'Selected runs' })
    await bar.getByText('2 runs selected').waitFor()
    assert.deepEqual(await axe(page), [])
    await bar.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('button', { name: 'Retry 2 runs' }).click()
    await page.getByRole('region', { name: 'Long work' }).getByText('2 runs started again').waitFor()
    const again = (await sdk.runs.list({ source: 'retry', search: 'again' }).page()).data
    assert.deepEqual(again.map(({ title }) => title).toSorted(), ['Again one', 'Again two'])
  }),
)

proves(
  'console.runsCsv',
  'a CSV file has the runs that fit and no other, and a title that looks like a formula is text in it',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    await completed(sdk, '=HYPERLINK("http://sheet.example","sheet")')
    await completed(sdk, 'Plain sheet')
    await completed(sdk, 'No such word')
    await page.goto(`${service.baseUrl}/runs?search=sheet`)
    await row(page, 'Plain sheet').waitFor()
    // the browser of stories saves no files
    await page.evaluate(`void (window.saved = new Promise((resolve) => {
      const make = URL.createObjectURL
      URL.createObjectURL = (blob) => (resolve(blob.text()), make(blob))
    }))`)
    await allThatFit(page, 'Export CSV')
    const lines = (await page.evaluate<string>('window.saved')).trim().split('\r\n')
    assert.equal(lines.length, 3)
    assert.ok(lines[0]?.startsWith('id,run_number,title,status,'), lines[0])
    assert.match(lines[1] ?? '', /,Plain sheet,completed,/)
    assert.ok(lines[2]?.includes(`,"'=HYPERLINK(""http://sheet.example"",""sheet"")",completed,`), lines[2])
  }),
)

proves(
  'console.startRun',
  'a run is started from the dialog, its page opens, and it says that it came from the console',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      await agent(sdk, 'Address checker')
      await page.getByRole('main').waitFor()
      await page.keyboard.press('n')
      await page.getByRole('searchbox', { name: 'Narrow the agents' }).fill('address')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Address checker/ })
        .click()
      // the fields come a moment after the dialog, and the first of them has the focus
      await page.getByRole('textbox', { name: 'address' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.type('Short Lane 1')
      assert.equal(await page.getByRole('textbox', { name: 'address' }).inputValue(), 'Short Lane 1')
      await page.getByRole('button', { name: 'JSON' }).click()
      await page.getByRole('textbox', { name: 'Input' }).fill('{"address": ')
      await page.getByText('This is not JSON').waitFor()
      await page.getByRole('textbox', { name: 'Input' }).fill('{"address": "Long Lane 4"}')
      await page.getByRole('button', { name: 'Form', exact: true }).click()
      assert.equal(await page.getByRole('textbox', { name: 'address' }).inputValue(), 'Long Lane 4')
      await page.getByRole('textbox', { name: 'Title' }).fill('From the dialog')
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.waitForURL(/\/runs\/[0-9a-f-]{36}/)
      const id = /runs\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
      const { run } = await sdk.runs.get(id)
      assert.deepEqual([run.source, run.title, run.message], ['console', 'From the dialog', { address: 'Long Lane 4' }])
    },
    { path: '/runs' },
  ),
)

proves(
  'console.runsHostile',
  'titles and names that try to break the page are text, also on a phone, where nothing is wider than it',
  needsLongConsole,
  story(async ({ page, sdk, open, service }) => {
    await completed(sdk, hostileTitle)
    await page.goto(`${service.baseUrl}/runs`)
    const phone = await open({ path: '/runs', size: { width: 390, height: 844 } })
    for (const window of [page, phone]) {
      await row(window, '<b>Pay</b>').first().waitFor()
      assert.equal(await window.title(), 'Runyard')
      assert.equal(await window.locator('tr[data-run] b, tr[data-run] script').count(), 0)
      assert.ok(await window.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth'))
      const height = await row(window, '<b>Pay</b>')
        .first()
        .evaluate((element) => element.clientHeight)
      assert.ok(height < 160, `a row of ${height} px`)
    }
    await phone.getByRole('button', { name: /^Filter: Status/ }).waitFor()
  }),
)

proves(
  'console.runs',
  'a viewer sees the list, and whatever would change it names the missing scope',
  needsLongConsole,
  story(async ({ sdk, open }) => {
    await waiting(sdk, 'Seen by a viewer')
    const { key } = await makeMember(sdk, 'Viewer', 'viewer')
    const page = await open({ path: '/runs', key })
    await row(page, 'Seen by a viewer').first().waitFor()
    const start = page.getByRole('button', { name: 'Start run' })
    assert.equal(await start.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('j')
    await page.keyboard.press('s')
    await page.getByText('You need the scope runs:write').first().waitFor()
  }),
)
