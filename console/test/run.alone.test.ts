// The page of a run, as people use it: watched while it grows, answered in place, repeated, read, and left alone while the service dies.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Runyard } from '../../sdk/src/index.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { startService } from '../../server/test/survival/processes.ts'
import { heldSite, type HeldSite } from './kit/heldSite.ts'
import { axe } from './kit/axe.ts'
import { addFolding, databaseOf, makeLongRun } from './kit/longRun.ts'
import { pressTogether } from './kit/pressTogether.ts'
import { step } from './kit/sampleAgents.ts'
import { needsConsole, needsLongConsole, stage, untilLive } from './kit/stage.ts'

const story = stage({ RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
let site: HeldSite
before(async () => (site = await heldSite()))
after(() => site.close())

async function makeAgent(sdk: Runyard, name: string, ...parts: string[]): Promise<string> {
  const input = [`# ${name}`, ...parts].join('\n\n')
  return (await sdk.agents.create({ name, build: { config: { version: 'v2', data: { input } } } })).agent_id
}

/** Two calls, a question to a person, and an output. */
const refund = (sdk: Runyard, name: string): Promise<string> =>
  makeAgent(
    sdk,
    name,
    step(`http id=order`, `GET ${site.url}/${encodeURIComponent(name)}/order`),
    step(`http id=label`, `GET ${site.url}/${encodeURIComponent(name)}/label`),
    step('approve id=pay timeout=1d on_timeout=reject', 'Refund 412.50 EUR?\nTwo legs are cracked.'),
    step('output', '{"refunded": 412.5}'),
  )

const stepsOf = (page: Page): Locator => page.getByRole('tree', { name: 'Steps' })
const rowOf = (page: Page, seq: number): Locator => page.locator(`#step-${seq}`)
const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

proves(
  ['console.run.live', 'console.run.answer', 'console.run.retry'],
  'a run grows while it is watched, is answered in place, and is repeated from a step',
  needsConsole,
  story(async ({ page, sdk, service }) => {
    const agent_id = await refund(sdk, 'Desk')
    const { run_id } = await sdk.runs.start({ agent_id, title: 'Order 88214' })
    await page.goto(`${service.baseUrl}/runs/${run_id}`)
    await rowOf(page, 1).filter({ hasText: 'GET /Desk/order' }).waitFor()
    await page.getByText('Running', { exact: true }).waitFor()
    assert.equal(await rowOf(page, 2).count(), 0)
    await untilLive(page)
    await site.answer('/Desk/order')
    await rowOf(page, 2).filter({ hasText: 'GET /Desk/label' }).waitFor()
    await site.answer('/Desk/label')
    await page.getByText('a person must approve “Refund 412.50 EUR?”.').waitFor()
    const request = page.getByRole('region', { name: 'The run waits for this' })
    await request.getByText('Two legs are cracked.').waitFor()
    await request.getByRole('button', { name: /^Approve/ }).click()
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.getByText('412.5').waitFor()
    await page.getByText('Completed').first().waitFor()

    await rowOf(page, 2).click()
    const inspector = page.getByRole('region', { name: 'Step 2' })
    await inspector.getByText('Intent recorded').waitFor()
    await inspector.getByText('This step is over and is not run again.').waitFor()
    await inspector.getByRole('button', { name: 'Retry from here…' }).click()
    await page.getByText('It makes 2 steps again, from step 2 on').waitFor()
    await page.getByRole('button', { name: 'Retry from step 2' }).click()
    await page.getByText('Retry of').waitFor()
    await rowOf(page, 1).filter({ hasText: 'copied' }).waitFor()
    await site.answer('/Desk/label')
    await rowOf(page, 3).filter({ hasText: 'Refund 412.50 EUR?' }).waitFor()
  }),
)

/** Presses Tab until the focus is on what is called so: its role, if it was given one, and its name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      `(({ activeElement: on }) =>
        (on.getAttribute('role') ?? '') + ' ' + (on.getAttribute('aria-label') ?? on.textContent))(document).trim()`,
    )
    if (name.test(focused)) return
    seen.push(focused.slice(0, 30))
  }
  assert.fail(`Tab does not lead to ${name}, but to ${seen.join(' | ')}`)
}

proves(
  'console.run.keys',
  'by keys alone a run is opened, its steps walked and read, a message sent, its request answered, and another run stopped',
  needsLongConsole,
  story(async ({ page, sdk }) => {
    const agent_id = await refund(sdk, 'Keys')
    const { run_id } = await sdk.runs.start({ agent_id, title: 'Order 88230' })
    await Promise.all([site.answer('/Keys/order'), site.answer('/Keys/label')])
    await sdk.runs.wait(run_id)
    await page.getByRole('main').waitFor()
    await pressTogether(page, 'g', 'r')
    await page.locator('tr[data-run]', { hasText: 'Order 88230' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${run_id}`)

    await rowOf(page, 3).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const second = page.getByRole('region', { name: 'Step 2' })
    await second.waitFor()
    assert.match(page.url(), /step=2/)
    await page.keyboard.press('[')
    await page.getByRole('region', { name: 'Step 1' }).waitFor()
    await tabTo(page, /^tree Steps$/)
    await page.keyboard.press('ArrowDown')
    await second.waitFor()
    await page.keyboard.press('Enter')
    await tabTo(page, /^Arguments$/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/detail=arguments/)
    await second.getByText('"method"').waitFor()
    await page.keyboard.press('Escape')
    await second.waitFor({ state: 'detached' })
    await page.keyboard.press('w')
    await page.getByRole('button', { name: 'Waits folded', pressed: false }).waitFor()

    await page.keyboard.press('m')
    // letters that come before the field has the focus go nowhere
    await page
      .getByRole('dialog', { name: /^Message to run/ })
      .locator('textarea:focus')
      .waitFor()
    await page.keyboard.type('The amount was corrected.')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog', { name: /^Message to run/ }).waitFor({ state: 'detached' })
    await tabTo(page, /^Messages/)
    await page.keyboard.press('Enter')
    await page.getByText('The amount was corrected.').waitFor()

    await page.keyboard.press('1')
    await page.getByText(/Approve is chosen, not sent/).waitFor()
    assert.equal((await sdk.runs.get(run_id)).run.status, 'waiting')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Outcome' }).getByText('412.5').waitFor()

    const other = await sdk.runs.start({ agent_id, title: 'Order 88231' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find or do' }).waitFor()
    await page.keyboard.type('Order 88231')
    await page.getByRole('option', { name: /Order 88231/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${other.run_id}`)
    await rowOf(page, 1).waitFor()
    await page.keyboard.press('s')
    await page.getByRole('dialog', { name: /^Stop run/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: /^Stop run/ }).waitFor({ state: 'detached' })
    assert.equal((await sdk.runs.get(other.run_id)).run.status, 'running')
    await page.keyboard.press('s')
    await page.getByRole('dialog', { name: /^Stop run/ }).waitFor()
    await tabTo(page, /^Stop the run$/)
    await page.keyboard.press('Enter')
    await page.getByRole('main').getByText('Stopped').first().waitFor()
  }),
)

proves(
  'console.run.hostile',
  'what a tenant wrote is text on the page of a run, whatever it is, and breaks no layout',
  needsLongConsole,
  story(
    async ({ page, sdk, service }) => {
      const bad = '<img src=x onerror=alert(1)>'
      const agent_id = await makeAgent(
        sdk,
        `${bad}\u202e`,
        step('file path="<b>x.html"', `<script>alert(1)</script>${bad}`),
        step('tool id=read name=sandbox_read_file', '{"path": "<b>x.html"}'),
        step('output', JSON.stringify({ text: bad, link: '[x](javascript:alert(1))' })),
      )
      const title = `${bad} ${'W'.repeat(260)}`
      const { id } = await sdk.runs.startAndWait({ agent_id, title, message: { [bad]: bad } })
      for (const search of [
        '?step=1',
        '?step=2&detail=result',
        '?tab=messages',
        '?tab=files&file=/workspace/<b>x.html',
        '?tab=report',
      ]) {
        await page.goto(`${service.baseUrl}/runs/${id}${search}`)
        await page.getByText(bad).first().waitFor()
        assert.equal(await page.locator('img, b > b, main script').count(), 0, search)
        assert.ok((await overflow(page)) <= 0, search)
      }
    },
    { size: { width: 1024, height: 700 } },
  ),
)

proves(
  'console.run.pieces',
  'what is long comes in pieces: events by pages that the address names, and a long text as far as somebody wants it',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const files = Array.from({ length: 36 }, (_, n) => step(`file path=${n}.txt`, 'x'))
    const agent_id = await makeAgent(sdk, 'Long', ...files)
    const text = `${'x'.repeat(209_990)} the end`
    const { id } = await sdk.runs.startAndWait({ agent_id, message: { text } })
    await page.goto(`${service.baseUrl}/runs/${id}?tab=events`)
    await page.getByRole('button', { name: 'Newer' }).click()
    await page.waitForURL(/page=2/)
    const pages = page.getByRole('navigation', { name: 'Pages of events' })
    await pages.getByText(/^101 to /).waitFor()
    await page.reload()
    await pages.getByText(/^101 to /).waitFor()

    const input = page.getByRole('region', { name: 'Input' })
    await input.getByRole('button', { name: 'show 100,000 more of 209,998 characters' }).click()
    await input.getByRole('button', { name: 'show 100,000 more of 209,998 characters' }).click()
    assert.equal(await input.getByText('the end').count(), 0)
    await input.getByRole('button', { name: 'show all (209,998 characters)' }).click()
    await input.getByText('the end').waitFor()
  }),
)

proves(
  'console.run.long',
  'a run of ten thousand steps is a handful of elements, from its first step to its last',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const id = await makeLongRun(sdk, databaseOf(service.dataDir), 10_000)
    await page.goto(`${service.baseUrl}/runs/${id}`)
    await rowOf(page, 1).waitFor()
    await page.locator('[role=treeitem][aria-setsize="10000"]').first().waitFor()
    await stepsOf(page).focus()
    await page.keyboard.press('End')
    await rowOf(page, 10_000).waitFor()
    await page.getByRole('region', { name: 'Step 10000' }).getByText('http_request').first().waitFor()
    assert.ok((await page.locator('[role=treeitem]').count()) < 100)
    await page.goto(`${service.baseUrl}/runs/${id}?step=5000`)
    await rowOf(page, 5000).filter({ hasText: 'GET /orders/5000' }).waitFor()
  }),
)

proves(
  'console.run.folding',
  'a folding says in words which turns it folded, how many tokens it saved, and what the model noted',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const agent_id = await makeAgent(sdk, 'Folded', step('file path=a.txt', 'x'), step('output', 'done'))
    const { id } = await sdk.runs.startAndWait({ agent_id, title: 'Long work' })
    await addFolding(databaseOf(service.dataDir), id)
    await page.goto(`${service.baseUrl}/runs/${id}?step=2`)
    await rowOf(page, 2).filter({ hasText: 'Foldingturns 1 to 27, 24,613 → 9,870 tokens' }).waitFor()
    const inspector = page.getByRole('region', { name: 'Step 2' })
    await inspector.getByText('notes in place of old turns, some:model').waitFor()
    await inspector.getByText('the refund of order 88190').waitFor()
    await inspector.getByText('through_turn').waitFor()
    assert.deepEqual(await axe(page), [])
  }),
)

proves(
  'console.run.killed',
  'the process is killed under an open run: the page says that it reconnects, and then shows everything again',
  needsConsole,
  (t) =>
    story(async ({ page, sdk, service, mayLog }) => {
      mayLog(/ERR_/)
      const agent_id = await refund(sdk, 'Killed')
      const { run_id } = await sdk.runs.start({ agent_id, title: 'Order 88190' })
      await page.goto(`${service.baseUrl}/runs/${run_id}`)
      await untilLive(page)
      await site.answer('/Killed/order')
      await rowOf(page, 2).waitFor()
      await service.stop('SIGKILL')
      await page.getByText('Reconnecting').waitFor()
      await rowOf(page, 2).waitFor()
      const again = await startService({
        dataDir: service.dataDir,
        env: { PORT: new URL(service.baseUrl).port, RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
      })
      t.after(() => again.stop())
      await page.getByText('Live', { exact: true }).waitFor()
      // a GET is simply made again
      await site.answer('/Killed/label')
      await page.getByRole('button', { name: /^Approve/ }).click()
      await page.getByRole('region', { name: 'Outcome' }).getByText('412.5').waitFor()
      await rowOf(page, 2).filter({ hasText: '×2' }).click()
      await page.getByText('Attempt 1, then the process died').waitFor()
    })(t),
)
