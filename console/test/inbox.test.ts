// The inbox as people use it: by keyboard, two at once, on a phone, with a session that ends, and with texts that mean harm.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { HumanRequest, Runyard } from '../../sdk/src/index.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { pressTogether } from './kit/pressTogether.ts'
import { agentInput, hostileAgent, hostileTitle, sampleAgents, step, type SampleAgent } from './kit/sampleAgents.ts'
import { makeMember, requestOfRun, untilStatus } from './kit/sampleData.ts'
import { needsConsole, needsLongConsole, stage, untilLive } from './kit/stage.ts'

const story = stage()

/** A run of a sample agent, at what it asks. */
async function asking(sdk: Runyard, name: SampleAgent, message: object = {}): Promise<HumanRequest> {
  const { agent_id } = await sdk.agents.create(agentInput(name, sampleAgents[name]))
  return askedBy(sdk, agent_id, message)
}

async function askedBy(sdk: Runyard, agent_id: string, message: object | string): Promise<HumanRequest> {
  const { run_id } = await sdk.runs.start({ agent_id, message: message as Record<string, unknown> })
  await untilStatus(sdk, run_id, 'waiting')
  return requestOfRun(sdk, run_id)
}

const refund = { order: '88214', amount: 412.5, reason: 'damaged on arrival' }

const read = async (sdk: Runyard, { id }: HumanRequest) => (await sdk.humanRequests.get(id)).human_request

/** Nothing waits any more: a deleted agent stops its runs. */
async function clear(sdk: Runyard): Promise<void> {
  const { human_requests } = await sdk.humanRequests.list({ limit: 200 }).page()
  for (const agentId of new Set(human_requests.map(({ run }) => run.agent_id))) await sdk.agents.delete(agentId)
}

async function openRequest(page: Page, { id, title }: HumanRequest): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/inbox?request=${id}`)
  await page.getByRole('heading', { name: title }).waitFor()
}

/** Stands for the notifications of the desktop, which a browser without one does not have. It allows them and keeps them. */
const noticing = `
  window.notices = []
  window.Notification = class extends EventTarget {
    static permission = 'default'
    static async requestPermission() {
      return (this.permission = 'granted')
    }
    constructor(title, { body }) {
      super()
      Object.assign(this, { title, body })
      notices.push(this)
    }
    close() {}
  }`

const widthOf = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth')

proves(
  'console.inbox.keys',
  'an approval is answered by keyboard alone, the next request opens, and a digit alone sends nothing',
  needsConsole,
  story(async ({ page, sdk }) => {
    const first = await asking(sdk, 'Refund desk', refund)
    const second = await asking(sdk, 'Parcel desk')
    // before that nobody listens for keys
    await page.getByRole('main').waitFor()
    await pressTogether(page, 'g', 'i')
    await page.getByRole('heading', { name: 'Allow http_request?' }).waitFor()
    // the count comes a moment later than the list
    await page.waitForFunction(`document.title.startsWith('(2) Inbox')`)
    await page.getByText('POST https://payments.example.com/refunds').waitFor()
    await page.getByText(/The call is made once\./).waitFor()

    await page.keyboard.press('1')
    await page.getByText(/Approve is chosen, not sent/).waitFor()
    assert.equal((await read(sdk, first)).status, 'pending')
    await page.keyboard.press('Escape')
    await page.getByText(/Approve is chosen/).waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('2')
    await page.keyboard.type('The photos show another desk.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('You rejected', { exact: true }).waitFor()
    const answered = await read(sdk, first)
    assert.deepEqual(answered.response, { approved: false, comment: 'The photos show another desk.' })

    await page.getByRole('heading', { name: second.title }).waitFor()
    const send = page.getByRole('button', { name: 'Answer' })
    assert.equal(await send.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('2')
    await page.getByRole('radio', { name: /^No\b/, checked: true }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    assert.deepEqual((await read(sdk, second)).response, { answers: { [second.title]: 'No' } })
    await untilStatus(sdk, second.run_id, 'completed')
  }),
)

proves(
  'console.inbox.form',
  'the service’s problem stands at its field, the rest stays as it was filled in, and the corrected form is sent',
  needsLongConsole,
  story(async ({ page, sdk, mayLog }) => {
    mayLog(/status of 400/)
    const request = await asking(sdk, 'Vendor onboarding')
    await openRequest(page, request)
    await page.getByLabel('Name of the company').fill('Paper and Board Works')
    const iban = page.getByLabel('IBAN')
    await iban.fill('DE 12345678')
    await page.getByLabel('30 days').check()
    await page.getByLabel('Limit of an order, EUR').fill('5000')
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 field to correct').waitFor()
    assert.equal(await iban.getAttribute('aria-invalid'), 'true')
    assert.match(await page.getByRole('article').innerText(), /Must match the pattern/)
    assert.equal(await page.getByLabel('Name of the company').inputValue(), 'Paper and Board Works')

    await page.reload()
    assert.equal(await iban.inputValue(), 'DE 12345678')
    await iban.fill('DE89370400440532013000')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('You filled in the form').first().waitFor()
    const { values } = (await read(sdk, request)).response as { values: object }
    const expected = { name: 'Paper and Board Works', iban: 'DE89370400440532013000', terms: '30 days', limit: 5000 }
    assert.deepEqual(values, expected)
  }),
)

const click = (element: unknown): void => (element as { click: () => void }).click()

proves(
  'console.inbox.race',
  'the answer of one person locks the form of the other at once, and exactly one answer counts',
  needsConsole,
  story(async ({ page, sdk, open, mayLog }) => {
    mayLog(/status of 409/)
    const { key } = await makeMember(sdk, 'Finance lead', 'operator')
    const request = await asking(sdk, 'Restock')
    const other = await open({ key })
    await openRequest(page, request)
    await openRequest(other, request)
    await untilLive(page)
    await page.getByLabel('Comment').fill('My own words')
    await other.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Finance lead approved').first().waitFor()
    await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' })
    await page.getByText('Your comment was: “My own words”').waitFor()

    const next = await asking(sdk, 'Site editor')
    await openRequest(page, next)
    await openRequest(other, next)
    const approve = [page, other].map((each) => each.getByRole('button', { name: 'Approve' }).elementHandle())
    // a click of Playwright would wait for ever if the other one is so fast that the button is gone
    await Promise.all((await Promise.all(approve)).map((button) => button?.evaluate(click)))
    await untilStatus(sdk, next.run_id, 'completed')
    const { status, responded_by } = await read(sdk, next)
    assert.equal(status, 'responded')
    const { members } = await sdk.members.list().page()
    const winner = members.find(({ id }) => id === responded_by)
    const loser = winner?.name === 'Finance lead' ? page : other
    await openRequest(loser, next)
    await loser.getByText(`${winner?.name} approved`).first().waitFor()

    const last = await asking(sdk, 'Site editor')
    await openRequest(page, last)
    await untilLive(page)
    await sdk.humanRequests.cancel(last.run_id, last.id)
    await page.getByRole('status', { name: 'What became of it' }).getByText('Cancelled').waitFor()
  }),
)

proves(
  'console.inbox.keeps',
  'a session that ends while somebody types keeps the text for them, and not for the next person',
  needsLongConsole,
  story(async ({ page, sdk, service, mayLog }) => {
    mayLog(/status of 401/)
    const request = await asking(sdk, 'Restock')
    await openRequest(page, request)
    await page.getByLabel('Comment').fill('Only twenty boxes')
    const signInAgain = async (key: string): Promise<string> => {
      await page.context().clearCookies()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByLabel(/key/i).fill(key)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: request.title }).waitFor()
      return page.getByLabel('Comment').inputValue()
    }
    assert.equal(await signInAgain(service.key), 'Only twenty boxes')
    assert.equal(await signInAgain((await makeMember(sdk, 'Night shift', 'operator')).key), '')
    assert.equal((await read(sdk, request)).status, 'pending')
  }),
)

proves(
  'console.inbox.steady',
  'new requests are offered, what is put aside stands under Not now, and of many only a screenful is drawn',
  needsLongConsole,
  story(async ({ page, sdk }) => {
    await clear(sdk)
    const { agent_id } = await sdk.agents.create(
      agentInput('Asker', { description: '', procedure: step('ask', 'Which {{ message }}?') }),
    )
    const titles = Array.from({ length: 40 }, (_, n) => `number ${n}`)
    await Promise.all(titles.map((message) => sdk.runs.start({ agent_id, message })))
    while ((await sdk.humanRequests.counts()).total < 40) await pause(50)
    await page.goto(`${new URL(page.url()).origin}/inbox?sort=oldest`)
    const rows = page.locator('[data-request]')
    await rows.first().waitFor()
    assert.ok((await rows.count()) < 30)
    const first = () => rows.first().getAttribute('data-request')
    const before = await first()
    await untilLive(page)
    await askedBy(sdk, agent_id, 'one more')
    const offer = page.getByRole('button', { name: '1 new request, show' })
    await offer.waitFor()
    assert.equal(await first(), before)
    await offer.click()
    await page.getByRole('navigation', { name: 'Which requests' }).getByText('41').waitFor()

    const title = await page.getByRole('article').getByRole('heading').first().innerText()
    await page.keyboard.press('h')
    await page.getByRole('link', { name: 'Not now 1' }).click()
    await page.getByText(/comes back in 1 h/).waitFor()
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Take back' }).click()
    await page.getByRole('heading', { name: 'Nothing is put aside' }).waitFor()
  }),
)

proves(
  'console.inbox.steady',
  'whoever leaves before the list has come gets to the other screen',
  needsLongConsole,
  story(async ({ page, sdk }) => {
    await asking(sdk, 'Restock')
    const [list, code] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(/\/human-requests\?/, (route) => list.promise.then(() => route.continue()))
    await page.goto(`${new URL(page.url()).origin}/inbox`)
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
    // the code of the next screen comes after the list of this one
    await page.route('**/assets/**', (route) => code.promise.then(() => route.continue()))
    await pressTogether(page, 'g', 'r')
    await page.waitForURL('**/runs')
    list.resolve()
    await page.locator('[data-request]').first().waitFor()
    code.resolve()
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/runs')
  }),
)

proves(
  'console.inbox.notify',
  'the browser tells of a new request when somebody switched that on, and its notice opens the request',
  needsLongConsole,
  story(async ({ page, sdk }) => {
    await page.addInitScript({ content: noticing })
    await page.goto(`${new URL(page.url()).origin}/inbox`)
    const bell = page.getByRole('switch', { name: 'Browser notifications' })
    await bell.and(page.locator('[aria-checked=false]')).click()
    await bell.and(page.locator('[aria-checked=true]')).waitFor()
    await pressTogether(page, 'g', 'r')
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await untilLive(page)
    const request = await asking(sdk, 'Restock')
    await page.waitForFunction('notices.length > 0')
    assert.equal(await page.evaluate('notices[0].body'), request.title)
    await page.evaluate('notices[0].dispatchEvent(new Event("click"))')
    await page.getByRole('heading', { name: request.title }).waitFor()
  }),
)

proves(
  'console.inbox.phone',
  'the list and the request take turns, nothing is wider than the screen, and the answers are large enough',
  needsLongConsole,
  story(
    async ({ page, sdk }) => {
      await clear(sdk)
      const request = await asking(sdk, 'Refund desk', refund)
      await page.goto(`${new URL(page.url()).origin}/inbox`)
      await page.locator(`[data-request="${request.id}"]`).click()
      const approve = page.getByRole('button', { name: 'Approve' })
      await approve.waitFor()
      assert.equal(await page.locator('[data-request]').first().isVisible(), false)
      const box = await approve.boundingBox()
      assert.ok(box && box.height >= 44 && box.y + box.height <= 844)
      assert.equal(await widthOf(page), 390)
      await approve.click()
      await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
      assert.deepEqual((await read(sdk, request)).response, { approved: true })
    },
    { size: { width: 390, height: 844 } },
  ),
)

const failsAfter = (timeout: string): string => step(`approve timeout=${timeout} on_timeout=fail`, 'Pay the invoice?')

proves(
  'console.inbox.deadline',
  'a request that fails without an answer says so before its deadline and after it',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const make = async (name: string, timeout: string): Promise<string> =>
      (await sdk.agents.create(agentInput(name, { description: '', procedure: failsAfter(timeout) }))).agent_id
    const open = await askedBy(sdk, await make('Patient', '20m'), '')
    await openRequest(page, open)
    await page.getByText(/fails without an answer in (19|20) min/).waitFor()
    await page.getByText('The call that asks fails: nobody answered in time.').waitFor()
    await page.goto(`${service.baseUrl}/runs/${open.run_id}`)
    await page.getByText(/without an answer by \d\d:\d\d that call fails\./).waitFor()

    const { run_id } = await sdk.runs.start({ agent_id: await make('Hasty', '1s') })
    await untilStatus(sdk, run_id, 'failed')
    const { human_requests } = await sdk.humanRequests.list({ status: 'expired' }).page()
    const late = human_requests.find((request) => request.run_id === run_id)
    assert.ok(late)
    await openRequest(page, late)
    const became = page.getByRole('status', { name: 'What became of it' })
    await became.getByText('Nobody answered in time: the agent got an error').waitFor()
  }),
)

proves(
  'console.inbox.role',
  'a viewer reads the request, and the buttons name the missing scope',
  needsLongConsole,
  story(async ({ page, sdk, open }) => {
    const { key } = await makeMember(sdk, 'Auditor', 'viewer')
    const request = await asking(sdk, 'Site editor')
    const viewer = await open({ key })
    await openRequest(viewer, request)
    assert.match(await viewer.getByRole('article').innerText(), /You need the scope approvals:write/)
    const approve = viewer.getByRole('button', { name: 'Approve' })
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
    await approve.click({ force: true })
    await viewer.keyboard.press('1')
    await viewer.keyboard.press('Control+Enter')
    assert.equal((await read(sdk, request)).status, 'pending')
    await page.close()
  }),
)

proves(
  ['console.inbox.hostile', 'console.accessible'],
  'texts of a hostile agent stay texts within the screen, and hinder nobody',
  needsLongConsole,
  story(async ({ page, sdk }) => {
    await clear(sdk)
    const { agent_id } = await sdk.agents.create(hostileAgent)
    const hostile = await Promise.all(['approve', 'ask', 'form'].map((message) => askedBy(sdk, agent_id, message)))
    await page.goto(`${new URL(page.url()).origin}/inbox`)
    for (const [n, { id }] of hostile.entries()) {
      await page.locator(`[data-request="${id}"]`).click()
      await page.waitForURL((url) => url.search.includes(id))
      await page
        .getByRole('article')
        .getByRole('button', { name: /Approve|Answer|Send/ })
        .waitFor()
      if (n === 0) assert.deepEqual(await axe(page), [])
      assert.equal(await widthOf(page), 1280)
      assert.match(await page.title(), /Inbox/)
    }
    assert.ok((await page.getByRole('heading', { name: hostileTitle.slice(0, 60) }).count()) > 0)
  }),
)

proves(
  'console.inbox.twoPeople',
  'after the first of two approvals its giver takes it back or rejects, and the other person sees who has approved',
  needsLongConsole,
  story(async ({ page, sdk, open }) => {
    const second = await makeMember(sdk, 'Bo Second', 'operator')
    await sdk.guardrails.set({ rules: { two_person: ['memory_*'] } })
    const { agent_id } = await sdk.agents.create({
      name: 'Ledger',
      instructions: '```memory path=a.md\nkept\n```\n```output\ndone\n```\n',
    })
    const request = await askedBy(sdk, agent_id, 'hello')
    await openRequest(page, request)
    await page.getByText('0 of 2 approvals: 2 different people must approve.').first().waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Until somebody else does too, you can take it back or reject it.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
    assert.deepEqual(await axe(page), [])
    const other = await open({ path: `/inbox?request=${request.id}`, key: second.key })
    await other
      .getByText(/1 of 2 approvals: one more person must approve\..*Admin.*approved/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByText('0 of 2 approvals: 2 different people must approve.').first().waitFor()
    assert.deepEqual((await read(sdk, request)).approvals, [])
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Take it back' }).waitFor()
    await other.getByRole('button', { name: 'Reject…' }).click()
    await other.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('rejected').first().waitFor()
    const { status, response } = await read(sdk, request)
    assert.deepEqual([status, response], ['responded', { approved: false }])
    await sdk.guardrails.set({ rules: {} })
  }),
)
