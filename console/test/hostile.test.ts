// Texts of strangers in every place of the page where it shows one: nothing of them runs, and nothing is asked of another server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { isLongForm } from '../../server/test/kit/longForm.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { hostileTexts } from './kit/hostileTexts.ts'
import { plantArtifact, plantMails, plantOutside, plantPeople, plantRequests, plantTexts } from './kit/plantHostile.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

/** Hears whatever gets through: a proxy for every other host, and a host itself. */
async function listener() {
  let heard = 0
  const server = createServer((_request, response) => {
    heard += 1
    response.end()
  })
  server.on('connect', (_request, socket) => {
    heard += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, heard: () => heard, close: () => server.close() }
}

/** What only HTML of a stranger can have made. */
const strangeElements = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `[...document.querySelectorAll('*')].filter((element) => [...element.attributes].some(({ name }) => name.startsWith('on'))).length +
     document.querySelectorAll('script:not([src]), iframe:not([src^="blob:"], [src^="/v2/artifacts/"][sandbox]), object, embed, base, marquee').length`,
  )

/** Nothing of a stranger has become a part of the page, and the page is still ours. */
async function assertOnlyTexts(page: Page, where: string): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' })
  assert.equal(await strangeElements(page), 0, where)
  const { origin, pathname } = new URL(page.url())
  assert.equal(`${origin}${pathname}`, new URL(where, origin).href.replace(/[?#].*/, ''), where)
}

proves(
  'console.hostileText',
  'texts of strangers are shown as texts: nothing runs, nothing is asked elsewhere',
  needsConsole,
  (t) =>
    story(async ({ page, sdk, service }) => {
      const trap = await listener()
      try {
        const all = hostileTexts(`${trap.url}/told`)
        const texts = isLongForm ? all : all.filter((_, at) => at % 40 === 0)
        const { runs, cases, queue } = await plantTexts(sdk, texts)
        const [asking = '', ...others] = await plantRequests(sdk, texts)
        const artifact = await plantArtifact(sdk, texts)
        const { profile } = await sdk.teams.profile()
        await sdk.members.update(profile.id, { email: '"><img/src=x/onerror=alert(1)>@<svg/onload=alert(1)>' })
        const { connection, delivery } = await plantOutside(sdk, texts)
        page.on('dialog', (dialog) => assert.fail(`a dialog said ${dialog.message()}`))
        const visited = isLongForm ? runs : runs.slice(0, 2)
        const { agent_id } = (await sdk.runs.get(asking)).run
        const { sandboxes } = await sdk.sandboxes.list({ made_by: 'run', limit: 200 }).page()
        const sandbox = sandboxes.find(({ run_id }) => run_id === asking)?.sandbox_id
        assert.ok(sandbox, 'the run has its files in a sandbox')
        const paths = [
          '/',
          '/runs',
          '/runs?page=1',
          '/inbox',
          '/agents',
          '/usage?show=runs',
          '/artifacts',
          '/evaluations',
          `/evaluations?agent=${agent_id}`,
          '/notifications',
          ...['', '?panel=data', '?panel=revisions'].map((panel) => `/artifacts/${artifact}${panel}`),
          `/agents/${agent_id}?view=rendered`,
          '/sandboxes?of=runs',
          `/sandboxes/${sandbox}?folder=/workspace/in`,
          `/runs/${asking}?step=1&detail=arguments`,
          ...['messages', 'report', 'files', 'events', 'raw'].map((tab) => `/runs/${asking}?tab=${tab}`),
          ...others.flatMap((run) => [`/runs/${run}`, `/runs/${run}?tab=messages`]),
          '/connections',
          ...['', '?tool=tool_0', '?status=failed&error=<b>'].map((search) => `/connections/${connection}${search}`),
          '/events',
          '/events?tab=receivers',
          `/events?tab=deliveries&delivery=${delivery}`,
          '/queues',
          ...['', '?tab=table', '?tab=work'].map((tab) => `/queues/${queue}${tab}`),
          ...(isLongForm ? cases : cases.slice(0, 2)).map((id) => `/cases/${id}`),
          ...visited.flatMap((run) => [`/runs/${run}`, `/runs/${run}?tab=messages`]),
        ]
        const looked = isLongForm ? paths : paths.filter((_, at) => at % 3 === 0)
        for (const path of looked) {
          await page.goto(`${service.baseUrl}${path}`)
          await page.getByRole('main').first().waitFor({ state: 'attached' })
          await assertOnlyTexts(page, path)
        }
        assert.equal(trap.heard(), 0)
        t.diagnostic(`${texts.length} texts in ${looked.length} screens, ${trap.heard()} requests out`)
      } finally {
        trap.close()
      }
    })(t),
)

proves(
  'console.hostileText',
  'names of people and clients, the audit log, mails and what a command prints are texts too',
  needsLongConsole,
  (t) =>
    story(async ({ page, sdk, service }) => {
      const trap = await listener()
      try {
        const texts = hostileTexts(`${trap.url}/told`)
        const short = texts.filter((text) => text.length <= 80 && !text.includes('\n'))
        const names = short.filter((_, at) => at % 5 === 0)
        await plantPeople(sdk, service, names)
        await plantMails(sdk, service, texts)
        page.on('dialog', (dialog) => assert.fail(`a dialog said ${dialog.message()}`))
        const shows = (where: Locator) => where.getByText(trap.url).filter({ visible: true }).first().waitFor()
        const tabs = ['', '?tab=sessions', '?tab=keys', '?tab=clients', '?tab=audit', '?tab=audit&page=1']
        for (const path of [...tabs.map((tab) => `/people${tab}`), '/notifications']) {
          await page.goto(`${service.baseUrl}${path}`)
          await shows(page.getByRole('main'))
          await assertOnlyTexts(page, path)
        }
        for (const [tab, name] of [
          ['', 'Remove'],
          ['?tab=clients', 'Remove'],
          ['?tab=keys', 'Revoke'],
        ] as const) {
          await page.goto(`${service.baseUrl}/people${tab}`)
          const row = page.getByRole('row').filter({ hasText: trap.url }).first()
          await row.getByRole('button', { name }).click()
          await shows(page.getByRole('dialog'))
          await assertOnlyTexts(page, `/people${tab}`)
        }
        const { sandbox_id } = await sdk.sandboxes.create({})
        await sdk.sandboxes.upload(sandbox_id, 'texts.txt', new Blob([texts.join('\n')]))
        const commands = `/sandboxes/${sandbox_id}?tab=commands`
        await page.goto(`${service.baseUrl}${commands}`)
        const command = `cat texts.txt; cat texts.txt >&2 # ${texts[1]}`
        await page.getByLabel('Command', { exact: true }).fill(command)
        await page.keyboard.press('Enter')
        // commands have a lower priority than everything else: on a busy machine they come last
        await page.getByText(/^exit 0/).waitFor({ timeout: 60_000 })
        const printed = page.getByRole('log').locator('pre')
        const assertPrinted = async () => {
          for (const out of [printed.nth(0), printed.nth(1)]) {
            await shows(out)
            for (const text of texts.slice(0, 25)) assert.ok((await out.innerText()).includes(text), text)
          }
          await assertOnlyTexts(page, commands)
        }
        await assertPrinted()
        await page.reload()
        await assertPrinted()
        assert.equal(trap.heard(), 0)
        t.diagnostic(`${names.length} names, ${texts.length} mails and lines, ${trap.heard()} requests out`)
      } finally {
        trap.close()
      }
    })(t),
)
