// The overview as a newcomer and as an operator see it, the tour, and notifications: on a service with the demo and a mail server.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { startMailServer } from '../../server/test/kit/mailServer.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const inbox = await startMailServer()
after(() => inbox.close())
const story = stage({
  RUNYARD_DEMO: '1',
  RUNYARD_SMTP_URL: `smtp://127.0.0.1:${inbox.port}`,
  RUNYARD_SMTP_TLS: 'off',
  RUNYARD_MAIL_FROM: 'runyard@example.com',
})

proves(
  'console.overview',
  'a newcomer runs the demo agent and answers it by clicks alone',
  needsConsole,
  story(async ({ page, sdk }) => {
    await page.getByText('All is quiet.').waitFor()
    await page.getByRole('button', { name: 'Run it' }).click()
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/)
    await page.getByRole('region', { name: 'The run', exact: true }).waitFor()
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByRole('main').getByText('Completed', { exact: true }).first().waitFor()
    const { data } = await sdk.runs.list({ status: 'completed' }).page()
    assert.deepEqual(
      data.map(({ output }) => (output as { ordered: boolean }).ordered),
      [true],
    )
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('2 of 4').waitFor()
  }),
)

proves(
  'console.overview',
  'the overview says what waits and what failed, and each number leads there',
  needsLongConsole,
  story(async ({ page, sdk }) => {
    const input = '```ask\nWhich shelf?\n```'
    const { agent_id } = await sdk.agents.create({
      name: 'Shelves',
      build: { config: { version: 'v2', data: { input } } },
    })
    await sdk.runs.startAndWait({ agent_id })
    await page.getByRole('link', { name: '1 request', exact: true }).click()
    await page.waitForURL(/\/inbox/)
  }),
)

proves(
  'console.notifications',
  'a member confirms their address by the link in a mail, gets a test mail, and chooses what mails are about',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      const { profile } = await sdk.teams.profile()
      await page.getByText('You have no e-mail address here.').waitFor()
      await sdk.members.update(profile.id, { email: 'night@example.com' })
      await page.reload()
      const arrived = new Promise<string>((resolve) => {
        inbox.onMail = ({ text }) => {
          const [hash] = /#confirm=\S+/.exec(text) ?? []
          if (hash !== undefined) resolve(hash)
        }
      })
      await page.getByRole('button', { name: 'Send a confirmation mail' }).click()
      await page.getByText('Confirmation mail,').waitFor()
      // as the link of the mail does in a tab of its own
      const hash = await arrived
      await page.goto('about:blank')
      await page.goto(`${new URL(sdk.baseUrl).origin}/notifications${hash}`)
      await page.getByRole('button', { name: 'Send a test mail' }).click()
      await page.getByRole('list', { name: 'Mails to you' }).getByText('sent', { exact: true }).nth(1).waitFor()
      assert.deepEqual(
        inbox.arrived.map(({ to, headers }) => [to[0], headers['subject']]),
        [
          ['night@example.com', 'Confirm your address for Runyard'],
          ['night@example.com', 'A test mail from Runyard'],
        ],
      )
      await page.getByRole('combobox', { name: 'Requests by mail' }).selectOption('At once')
      await page.getByText('Saved').first().waitFor()
      assert.equal((await sdk.notifications.get()).notifications.mail.human_requests, 'at_once')
    },
    { path: '/notifications' },
  ),
)

/** Does it, and waits until the service has been asked to remember it. */
async function remembered(page: Page, act: () => Promise<void>): Promise<void> {
  const answered = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await act()
  assert.equal((await answered).status(), 200)
}

proves(
  'console.tour',
  'a newcomer takes the tour by keyboard through a run of the demo, and it is not offered again',
  needsLongConsole,
  story(async ({ page, sdk, open }) => {
    await page.getByRole('button', { name: 'Take the tour' }).click()
    const tour = page.getByRole('region', { name: 'Tour' })
    for (const [title, path] of [
      ['Overview', /\/$/],
      ['Runs', /\/runs$/],
      ['A run of the demo', /\/runs(\/[0-9a-f-]{36})?$/],
      ['Inbox', /\/inbox/],
      ['An agent', /\/agents\/[0-9a-f-]{36}/],
    ] as const) {
      await tour.getByRole('heading', { name: title, exact: true }).waitFor()
      await page.waitForURL(path)
      if (title === 'Inbox') assert.deepEqual(await axe(page), [])
      if (title !== 'An agent') await tour.getByRole('button', { name: 'Next' }).press('Enter')
    }
    await remembered(page, () => tour.getByRole('button', { name: 'Done' }).press('Enter'))
    await tour.waitFor({ state: 'detached' })
    assert.deepEqual((await sdk.teams.preferences()).preferences, { tour: 'done' })
    const other = await open()
    await other.getByText('First steps').waitFor()
    assert.equal(await other.getByRole('button', { name: 'Take the tour' }).count(), 0)
    // and again, when it is wanted
    await other.getByRole('button', { name: /settings and signing out/ }).click()
    await other.getByRole('menuitem', { name: 'Take the tour' }).click()
    await other.getByRole('region', { name: 'Tour' }).waitFor()
    await remembered(other, () => other.keyboard.press('Escape'))
    await other.getByRole('region', { name: 'Tour' }).waitFor({ state: 'detached' })
    assert.deepEqual((await sdk.teams.preferences()).preferences, { tour: 'skipped' })
  }),
)
