// Queues and cases as people work with them: on the board and in the table, one by one and many at once.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { Client } from 'pg'
import type { Runyard } from '../../sdk/src/index.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { databaseOf } from './kit/longRun.ts'
import { pressTogether } from './kit/pressTogether.ts'
import { makeMember } from './kit/sampleData.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

async function makeQueue(sdk: Runyard, name: string, titles: string[]): Promise<{ queue: string; ids: string[] }> {
  const { queue_id: queue } = await sdk.queues.create({ name })
  if (titles.length === 0) return { queue, ids: [] }
  const { added_cases } = await sdk.cases.create(queue, { cases: titles.map((title) => ({ title })) })
  return { queue, ids: added_cases.map(({ id }) => id) }
}

const column = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name},`) })
const card = (page: Page, name: string, title: string) => column(page, name).getByRole('link', { name: title })
const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })
const statusOf = async (sdk: Runyard, id: string): Promise<string> => (await sdk.cases.get(id)).case.display_status

proves(
  'console.queues',
  'a case is claimed on the board, completed on its page, and its timeline says who did it',
  needsConsole,
  story(async ({ page, sdk, service }) => {
    const { queue, ids } = await makeQueue(sdk, 'Refunds by hand', ['Refund 4711', 'Refund 4712'])
    await page.goto(`${service.baseUrl}/queues/${queue}`)
    await card(page, 'Pending', 'Refund 4711').waitFor()
    await page.getByRole('button', { name: 'Actions of “Refund 4711”' }).click()
    await page.getByRole('menuitem', { name: 'Claim' }).click()
    await card(page, 'In progress', 'Refund 4711').click()
    await page.getByRole('button', { name: /^Complete/ }).click()
    await page.getByRole('listitem').filter({ hasText: 'You completed it' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'You took it' }).waitFor()
    assert.equal(await statusOf(sdk, ids[0] ?? ''), 'completed')
    await page.goBack()
    await card(page, 'Completed', 'Refund 4711').waitFor()
    await card(page, 'Pending', 'Refund 4712').waitFor()
  }),
)

proves(
  'console.queues.drag',
  'a card that is dragged to another column moves there, and can be taken back',
  needsLongConsole,
  story(
    async ({ page, sdk, service }) => {
      const { queue, ids } = await makeQueue(sdk, 'Dragged', ['Drag me', 'Fail me'])
      await page.goto(`${service.baseUrl}/queues/${queue}`)
      await card(page, 'Pending', 'Drag me').waitFor()
      const article = (title: string) => page.getByRole('article').filter({ hasText: title })
      await article('Drag me').dragTo(column(page, 'In progress'))
      await card(page, 'In progress', 'Drag me').waitFor()
      assert.equal(await statusOf(sdk, ids[0] ?? ''), 'in_progress')
      await page.getByRole('button', { name: 'Undo' }).click()
      await card(page, 'Pending', 'Drag me').waitFor()
      await article('Fail me').dragTo(column(page, 'Failed'))
      await page.getByRole('dialog', { name: 'Fail “Fail me”' }).waitFor()
      await page.getByLabel('Reason').fill('The order belongs to somebody else.')
      await page.getByRole('button', { name: 'Fail', exact: true }).click()
      await card(page, 'Failed', 'Fail me').waitFor()
      assert.equal((await sdk.cases.get(ids[1] ?? '')).case.reason, 'The order belongs to somebody else.')
      // only a run brings a case there
      await article('Drag me').dragTo(column(page, 'Needs input'))
      assert.equal(await statusOf(sdk, ids[0] ?? ''), 'pending')
    },
    { size: { width: 1440, height: 900 } },
  ),
)

proves(
  'console.queues.case',
  'a case is assigned, labelled, postponed and edited, and an admin takes it over from who holds it',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const colleague = await makeMember(sdk, 'Second desk', 'operator')
    const { queue, ids } = await makeQueue(sdk, 'Assigned', ['Give me away', 'Later please'])
    await page.goto(`${service.baseUrl}/cases/${ids[0]}`)
    const choose = async (item: string) => {
      await page.getByRole('button', { name: /^Actions of/ }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Labels…')
    await page.getByLabel('New label').fill('region: eu')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'region: eu', pressed: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Edit/ }).click()
    await page.getByRole('textbox', { name: 'Data' }).fill('{"amount": 12}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('"amount"').waitFor()
    await choose('Assign…')
    await page.getByRole('button', { name: /^Second desk/ }).click()
    await page.getByRole('listitem').filter({ hasText: 'You assigned it' }).waitFor()
    assert.equal((await sdk.cases.get(ids[0] ?? '')).case.claimed_by_user_id, colleague.id)
    // an admin takes it back, and is told from whom
    await page.getByRole('button', { name: /^Take over/ }).click()
    const dialog = page.getByRole('dialog', { name: /^Take over “Give me away”/ })
    await dialog.getByText('Second desk holds this case').waitFor()
    await dialog.getByLabel('Reason').fill('They are away.')
    await dialog.getByRole('button', { name: 'Take it over' }).click()
    await page.getByRole('listitem').filter({ hasText: 'You took itFrom Second desk. They are away.' }).waitFor()
    await page.getByRole('button', { name: /^Release/ }).waitFor()
    await page.goto(`${service.baseUrl}/cases/${ids[1]}`)
    await choose('Postpone…')
    await page.getByRole('button', { name: 'Postpone', exact: true }).click()
    await page.getByText('Postponed to').waitFor()
    assert.equal(await statusOf(sdk, ids[1] ?? ''), 'postponed')
    const labelled = await sdk.cases.search(queue, { filters: { labels: { region: ['eu'] } } }).page()
    assert.deepEqual(
      labelled.cases.map(({ id }) => id),
      [ids[0]],
    )
  }),
)

proves(
  'console.queues.filters',
  'filters, order and page of the cases are in the address, and a saved view brings them back',
  needsLongConsole,
  story(async ({ page, sdk, service, open }) => {
    const titles = Array.from({ length: 30 }, (_, at) => `Invoice ${String(at).padStart(2, '0')}`)
    const { queue, ids } = await makeQueue(sdk, 'Filtered', titles)
    await Promise.all(ids.slice(0, 28).map((id) => sdk.cases.update(id, { priority: 'high' })))
    await page.goto(`${service.baseUrl}/queues/${queue}?tab=table`)
    await row(page, 'Invoice 29').waitFor()
    await page.keyboard.press('f')
    await page.getByRole('menuitem', { name: 'Priority' }).click()
    await page.getByRole('button', { name: 'high', exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'All that fit: 28 cases' }).waitFor()
    await page.getByRole('button', { name: /^Order:/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'oldest first' }).click()
    await row(page, 'Invoice 00').waitFor()
    await page.getByRole('link', { name: 'Next page' }).click()
    await row(page, 'Invoice 00').waitFor({ state: 'detached' })
    await row(page, 'Invoice 27').waitFor()
    const address = page.url()
    const other = await open()
    await other.goto(address)
    await row(other, 'Invoice 27').waitFor()
    assert.equal(await row(other, 'Invoice 24').count(), 0)
    await page.getByRole('button', { name: /^View:/ }).click()
    await page.getByRole('menuitem', { name: /^Save these filters/ }).click()
    await page.getByLabel('Name').fill('Urgent, old first')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('button', { name: 'View: Urgent, old first' }).waitFor()
    await page.goto(`${service.baseUrl}/queues/${queue}?tab=table`)
    await row(page, 'Invoice 29').waitFor()
    await page.getByRole('button', { name: 'View: All cases' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Urgent, old first' }).click()
    await page.getByRole('button', { name: 'All that fit: 28 cases' }).waitFor()
    await row(page, 'Invoice 00').waitFor()
  }),
)

proves(
  'console.queues.why',
  'a queue says why nothing moves, and its trigger is resumed from there',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { queue } = await makeQueue(sdk, 'Stuck', ['Waits for its agent'])
    await page.goto(`${service.baseUrl}/queues/${queue}`)
    await page.getByText('No agent works this queue.').waitFor()
    const { agent_id } = await sdk.agents.create({
      name: 'Stuck desk',
      build: { config: { version: 'v2', data: { input: '```case complete\n{"done": true}\n```' } } },
    })
    await sdk.caseTriggers.create(agent_id, { case_queue_id: queue, enabled: false })
    await page.goto(`${service.baseUrl}/queues/${queue}`)
    await page.getByText('Paused: Stuck desk. Enable the case trigger.').waitFor()
    await page.getByRole('link', { name: 'See the work' }).click()
    await page.getByRole('button', { name: 'Resume Stuck desk' }).click()
    await page.getByRole('heading', { name: 'Cases move' }).waitFor()
    await page.getByRole('link', { name: 'Board' }).click()
    await card(page, 'Completed', 'Waits for its agent').click()
    // each page has the words that lead to the next one, so it must be there first
    await page.getByRole('heading', { name: 'Waits for its agent' }).waitFor()
    await page.getByRole('link', { name: /^Stuck desk/ }).click()
    await page.getByText('case_complete').first().waitFor()
    // a run leads to its case
    await page.getByRole('link', { name: 'Waits for its agent', exact: true }).click()
    await page.waitForURL('**/cases/*')
  }),
)

proves(
  'console.queues.keys',
  'by keys alone a case is reached, claimed and selected, and the selected ones are completed',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { queue, ids } = await makeQueue(sdk, 'By keys', ['First by keys', 'Second by keys', 'Third by keys'])
    await page.goto(`${service.baseUrl}/queues/${queue}?tab=table&sort_order=asc`)
    await row(page, 'First by keys').waitFor()
    await page.keyboard.press('j')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'First by keys')
    await page.keyboard.press('e')
    await row(page, 'First by keys').getByText('In progress').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    const bar = page.getByRole('region', { name: 'Selected cases' })
    await bar.getByText('2 cases selected').waitFor()
    await bar.getByRole('button', { name: 'Complete' }).click()
    await page.getByRole('button', { name: 'Complete 2 cases' }).click()
    await row(page, 'Third by keys').getByText('Completed').waitFor()
    assert.deepEqual(await Promise.all(ids.map((id) => statusOf(sdk, id))), ['in_progress', 'completed', 'completed'])
    await pressTogether(page, 'g', 'q')
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
  }),
)

/** Written into the tables at once: nobody wants to send them one by one. */
async function addCases(dataDir: string, queueId: string, count: number): Promise<void> {
  const client = new Client({ connectionString: databaseOf(dataDir) })
  await client.connect()
  try {
    await client.query(
      `insert into cases (id, team_id, queue_id, title, data, created_at)
       select new_id(), q.team_id, q.id, 'Case ' || n, '', now() - interval '1 day' + n * interval '1 ms'
       from queues q, generate_series(1, $2::int) n where q.id = $1`,
      [queueId, count],
    )
    await client.query('analyze cases')
  } finally {
    await client.end()
  }
}

const doneOf = async (bar: Locator): Promise<number> => Number(await bar.getAttribute('aria-valuenow'))

/** Looks at each frame; a bar that is gone fails the story. */
async function untilMoreThan(bar: Locator, least: number): Promise<number> {
  for (;;) {
    const done = await doneOf(bar)
    if (done > least) return done
    await bar.page().evaluate('new Promise(requestAnimationFrame)')
  }
}

proves(
  'console.queues.bulk',
  'a bulk action over 100,000 cases is started, watched, reloaded and stopped in the page',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { queue } = await makeQueue(sdk, 'A hundred thousand', [])
    await addCases(service.dataDir, queue, 100_000)
    await page.goto(`${service.baseUrl}/queues/${queue}?tab=table`)
    await page.getByRole('button', { name: 'All that fit: 100,000 cases' }).click()
    await page.getByRole('menuitem', { name: /^Set the priority of all/ }).click()
    await page.getByRole('button', { name: 'Set the priority of 100,000 cases' }).click()
    const bar = page.getByRole('progressbar', { name: 'Setting the priority of cases' })
    const before = await untilMoreThan(bar, 0)
    await page.getByText(/ a second/).waitFor()
    await page.reload()
    await untilMoreThan(bar, before)
    assert.equal(await bar.getAttribute('aria-valuemax'), '100000')
    await page.getByRole('button', { name: 'Stop: Setting the priority of cases' }).click()
    await page.getByRole('button', { name: 'Close: Setting the priority of cases' }).waitFor()
    const [action] = (await sdk.cases.listBulkActions(queue).page()).bulk_actions
    assert.equal(action?.status, 'stopped')
    const changed = (await sdk.cases.list(queue, { priority: 'high', limit: 1 }).page()).total
    assert.equal(changed, action?.updated_count)
    assert.ok(changed > before && changed < 100_000, `${changed} changed`)
    assert.equal(await doneOf(bar), changed)
  }),
)

/** A file chooser that is given a text. */
async function chooseFile(page: Page, name: string, text: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
}

proves(
  'console.queues.import',
  'an interrupted import of 10,000 rows continues, and no row is doubled',
  needsLongConsole,
  story(async ({ page, sdk, service, mayLog }) => {
    // requests that the reload cut off
    mayLog(/ERR_ABORTED|Failed to fetch/)
    const { queue } = await makeQueue(sdk, 'Imported', [])
    const lines = Array.from({ length: 10_000 }, (_, at) => `"Refund, ${at}",${at * 2},high,eu`)
    const text = `\uFEFFrefund,amount,priority,region\r\n${lines.join('\r\n')}\r\n`
    await page.goto(`${service.baseUrl}/queues/${queue}?tab=table`)
    const begin = async () => {
      await page.getByRole('button', { name: 'More of this queue' }).click()
      await page.getByRole('menuitem', { name: /^Import/ }).click()
      await chooseFile(page, 'refunds.csv', text)
      await page.getByRole('dialog').getByText('10,000 rows, 4 columns').waitFor()
      await page.getByLabel('What region becomes').selectOption('label')
      await page.getByRole('button', { name: 'Import 10,000 cases' }).click()
    }
    await begin()
    const bar = page.getByRole('progressbar', { name: /^Importing cases/ })
    await untilMoreThan(bar, 399)
    await page.reload()
    await bar.waitFor()
    const total = async () => (await sdk.cases.list(queue, { limit: 1 }).page()).total
    assert.ok((await total()) < 10_000, 'it was interrupted before its end')
    await page.getByText('10,000 cases imported').waitFor({ timeout: 120_000 })
    assert.equal(await total(), 10_000)
    // the whole file once more; what was said of the first one leaves by itself
    await page.getByText('10,000 cases imported').waitFor({ state: 'detached' })
    await begin()
    await page.getByText('10,000 cases imported').waitFor({ timeout: 120_000 })
    assert.equal(await total(), 10_000)
    const [first] = (await sdk.cases.list(queue, { search: 'Refund 77', limit: 1 }).page()).cases
    assert.deepEqual(
      [first?.title, first?.data, first?.priority, first?.labels.map(({ key, value }) => `${key}:${value}`)],
      ['Refund, 77', '{"amount":"154"}', 'high', ['region:eu']],
    )
  }),
)
