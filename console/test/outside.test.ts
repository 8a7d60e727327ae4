// Connections and events, as an operator works with them: what broke, what waits for it, and what was not delivered.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Runyard } from '../../sdk/src/index.ts'
import { startMcpServer } from '../../server/test/fakes/mcpServer.ts'
import { startOauthServer } from '../../server/test/fakes/oauthServer.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { makeOutside, startOutside, untilGivenUp, type Outside } from './kit/sampleOutside.ts'
import { needsConsole, needsLongConsole, stage, untilLive } from './kit/stage.ts'

const story = stage()
const servers = await startOutside()
const oauth = await startOauthServer()
const handbook = await startMcpServer({ protectedBy: oauth, scopes: ['read'], tools: [{ name: 'look' }] })

let made: Promise<Outside> | undefined
/** Of the service of this file; made once. */
const outside = (sdk: Runyard): Promise<Outside> => (made ??= makeOutside(sdk, servers))

proves(
  'console.connections',
  'a refused key is replaced on the page, and the run that waited is seen continuing to its end',
  needsConsole,
  story(async ({ page, sdk, service }) => {
    const { crm } = await outside(sdk)
    await page.goto(`${service.baseUrl}/connections`)
    await page.getByRole('row', { name: /Our CRM.*Needs a person/ }).waitFor()
    await page.getByRole('link', { name: 'Our CRM' }).click()
    await page.getByText('The service refused its key or headers (401).').waitFor()
    const breaks = page.getByRole('region', { name: 'What depends on it' })
    await breaks.getByRole('link', { name: 'Invoice 4711' }).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    const asked = page.getByRole('dialog', { name: 'Remove the connection Our CRM?' })
    await asked.getByText('Invoice checker', { exact: true }).waitFor()
    await asked.getByText('Invoice checker (daily)').waitFor()
    await asked.getByText('Invoice 4711').waitFor()
    await page.keyboard.press('Escape')
    servers.refusing.answer(200, { 'content-type': 'application/json' }, '{"name":"Customer 17"}')
    await page.getByRole('button', { name: 'Replace the key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the credential of Our CRM' })
    await dialog.getByLabel('Key required').fill('crm-key-new-0123456789')
    await page.keyboard.press('Enter')
    const went = page.getByRole('region', { name: 'It works again' })
    await went.getByRole('link', { name: 'Invoice 4711' }).waitFor()
    await went.getByText('Completed').waitFor()
    const { headers } = await sdk.connections.getCredentials(crm)
    assert.deepEqual(headers, [{ name: 'authorization', is_set: true }])
    assert.equal((await page.content()).includes('crm-key-new'), false, 'the key is nowhere on the page')
  }),
)

proves(
  'console.events',
  'a delivery that was given up shows where it failed, and is sent again from the page',
  needsConsole,
  story(async ({ page, sdk, service }) => {
    const { delivery } = await outside(sdk)
    await page.goto(`${service.baseUrl}/events?tab=deliveries&delivery=${delivery}`)
    const panel = page.getByRole('complementary', { name: 'Delivery' })
    await panel.getByText('closed for maintenance until 06:00').first().waitFor()
    await panel
      .getByText(/^until it answered .*, failed here$/)
      .first()
      .waitFor()
    await panel.getByText('"run.completed"').waitFor()
    servers.failing.answer(200)
    await panel.getByRole('button', { name: 'Send again' }).click()
    await panel.getByText('delivered', { exact: true }).waitFor()
    await panel.getByText('Attempt 3').waitFor()
    const sent = servers.failing.received.map(({ body }) => body.toString()).filter((body) => body.includes(delivery))
    assert.deepEqual([sent.length, new Set(sent).size], [3, 1], 'the same bytes each time')
    servers.failing.answer(503)
  }),
)

const deadLetters = async (sdk: Runyard): Promise<number> =>
  (await sdk.deliveries.list({ status: 'dead', limit: 1 }).page()).total

/** After five failures in a row a receiver is left alone for half a minute, so these are few. */
async function giveUpTwo(sdk: Runyard): Promise<void> {
  const { agents } = await sdk.agents.search({ search: 'Ledger close' }).page()
  const before = await deadLetters(sdk)
  for (const title of ['Ledger of May', 'Ledger of June'])
    await sdk.runs.startAndWait({ agent_id: agents[0]?.id ?? '', title })
  await untilGivenUp(sdk, before + 2)
}

proves(
  'console.events',
  'everything that was given up since some time is sent again, with a bar that says how far it is',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    await outside(sdk)
    servers.failing.answer(503)
    await giveUpTwo(sdk)
    const total = await deadLetters(sdk)
    servers.failing.answer(200)
    await page.goto(`${service.baseUrl}/events?tab=receivers`)
    await page.getByRole('button', { name: 'Resend failed' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Send failed deliveries again?' })
    await dialog.getByRole('button', { name: `Resend ${total} deliveries` }).click()
    await page.getByText(`${total} deliveries sent again`).waitFor()
    await page.getByText('It accepts what is sent.').nth(1).waitFor()
    assert.equal(await deadLetters(sdk), 0)
    servers.failing.answer(503)
  }),
)

proves(
  'console.events',
  'the log is narrowed by kind and run, opens by keys, and new events wait until they are wanted',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { waiting } = await outside(sdk)
    await page.goto(`${service.baseUrl}/events?run=${waiting}`)
    await page.getByText('run.paused').waitFor()
    await page.getByRole('button', { name: 'Kind: all' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'run.paused' }).click()
    await page.getByText('waits for a connection').first().waitFor()
    await page.getByRole('link', { name: 'run.started' }).first().waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('"waiting_on"').waitFor()
    assert.match(page.url(), /open=/)
    await page.goto(`${service.baseUrl}/events`)
    await page.getByRole('link', { name: 'run.started' }).first().waitFor()
    await untilLive(page)
    const { agents } = await sdk.agents.search({ search: 'Ledger close' }).page()
    await sdk.runs.startAndWait({ agent_id: agents[0]?.id ?? '', title: 'Another ledger' })
    await page.getByRole('button', { name: /new events?, show$/ }).click()
    assert.deepEqual(await axe(page), [])
  }),
)

proves(
  'console.events',
  'nothing on the screen makes or changes a webhook or shows a secret: what a setting would be is copied',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    await outside(sdk)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET' || request.url().includes('secret')) asked.push(request.url())
    })
    await page.goto(`${service.baseUrl}/events?tab=receivers`)
    await page.getByText('Get a new signing secret').waitFor()
    const settings = page.getByRole('region', { name: 'Settings' })
    await settings.getByRole('button', { name: 'Copy as' }).first().click()
    await page.getByRole('menuitem', { name: 'CLI' }).click()
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByText('Copied as CLI').waitFor()
    assert.match(await copied(), /runyard call createWebhook/)
    const { secret } = await sdk.webhooks.getSecret()
    assert.equal((await page.content()).includes(secret), false)
    assert.deepEqual(asked, [])
  }),
)

const seen = (page: Page, text: string): Promise<void> => page.getByText(text).first().waitFor()

proves(
  'console.connect',
  'an MCP server is tried, signed in to, and reconnected after its grant was withdrawn',
  needsLongConsole,
  story(async ({ page, service, sdk, mayLog }) => {
    // the sign-in at the provider is the one place where the window leaves us
    mayLog(/asked another origin: http:\/\/127\.0\.0\.1/)
    await page.goto(`${service.baseUrl}/connections?new=mcp`)
    await page.getByLabel('Name required').fill('Handbook')
    await page.getByLabel('URL of the server required').fill(handbook.url)
    await page.getByRole('button', { name: 'Try the server' }).click()
    await seen(page, 'It wants a person to sign in, and asks for read, offline_access.')
    await page.getByRole('button', { name: 'Sign in at the server' }).click()
    await page.getByRole('heading', { name: /^Connected/ }).waitFor()
    await page.getByText('look', { exact: true }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    assert.equal((await sdk.connections.get(id)).connection.status, 'active')
    await oauth.revokeAll()
    await page.getByRole('button', { name: /^Test/ }).click()
    await page.getByText('Needs a person').waitFor()
    await page.getByRole('button', { name: 'Reconnect', exact: true }).click()
    await page.getByRole('heading', { name: /^Connected/ }).waitFor()
    await page.getByText('Works', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/connections/${id}`)
    oauth.account = null
    await page.getByRole('button', { name: 'Reconnect', exact: true }).click()
    await seen(page, 'Access was not allowed at the provider.')
  }),
)

proves(
  'console.connect',
  'a server that cannot be used says why, in words',
  needsLongConsole,
  story(async ({ page, service }) => {
    await page.goto(`${service.baseUrl}/connections?new=mcp`)
    await page.getByLabel('Name required').fill('Nowhere')
    await page.getByLabel('What it sends with each call').selectOption('none')
    await page.getByLabel('URL of the server required').fill(`${service.baseUrl}/no-such-server`)
    await page.getByRole('button', { name: 'Try the server' }).click()
    const said = page.getByRole('region', { name: 'What the server said' })
    await said.waitFor()
    assert.match((await said.textContent()) ?? '', /127\.0\.0\.1/)
    assert.equal(await page.getByRole('dialog').count(), 1)
  }),
)

proves(
  'console.connectionTools',
  'a tool that its server changed is compared with what was approved, and approved as it was read',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { wiki } = await outside(sdk)
    await page.goto(`${service.baseUrl}/connections/${wiki}`)
    const tools = page.getByRole('region', { name: 'Tools' })
    await tools.getByText('changed').waitFor()
    await tools.getByRole('link', { name: 'search_pages' }).click()
    await tools.getByText(', also those that were deleted').first().waitFor()
    const item = tools.getByRole('listitem').filter({ hasText: 'search_pages' })
    await item.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('1 tool is approved as listed now').waitFor()
    await tools.getByText('changed', { exact: true }).waitFor({ state: 'detached' })
    const { tools: listed } = await sdk.connections.listTools(wiki)
    assert.deepEqual(
      listed.map(({ name, status }) => [name, status]),
      [
        ['search_pages', 'approved'],
        ['read_page', 'approved'],
        ['delete_page', 'new'],
      ],
    )
  }),
)

proves(
  'console.given',
  'a secret is made, changed and removed on the page, which never shows its value again',
  needsLongConsole,
  story(
    async ({ page, sdk }) => {
      await page.getByRole('button', { name: 'New secret' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'New secret' })
      await dialog.getByLabel('Name required').fill('billing')
      await dialog.getByRole('textbox', { name: 'Variable 1' }).fill('BILLING_TOKEN')
      await dialog.getByLabel('Value 1').fill('story-value-0123456789')
      await page.keyboard.press('Enter')
      await page.getByRole('row', { name: /billing.*BILLING_TOKEN/ }).waitFor()
      assert.equal((await page.content()).includes('story-value'), false, 'the value is nowhere on the page')
      const config = { version: 'v2' as const, data: { input: 'Send the bills.', secrets: ['billing'] } }
      await sdk.agents.create({ name: 'Bill sender', build: { config } })
      await page.getByRole('button', { name: 'Actions of billing' }).click()
      await page.getByRole('menuitem', { name: 'Change…' }).click()
      const change = page.getByRole('dialog', { name: 'Change the secret billing' })
      assert.equal(await change.getByLabel('Value 1').inputValue(), '')
      await change.getByRole('button', { name: 'Add a variable' }).click()
      await change.getByRole('textbox', { name: 'Variable 2' }).fill('BILLING_USER')
      await change.getByLabel('Value 2').fill('orders')
      await page.keyboard.press('Enter')
      await page.getByText('BILLING_TOKEN, BILLING_USER').waitFor()
      await page.getByRole('button', { name: 'Actions of billing' }).click()
      await page.getByRole('menuitem', { name: 'Remove…' }).click()
      const asked = page.getByRole('dialog', { name: 'Remove the secret billing?' })
      await asked.getByText('Bill sender').waitFor()
      assert.deepEqual(await axe(page), [])
      await asked.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('There are no secrets').waitFor()
    },
    { path: '/connections?tab=secrets' },
  ),
)
