// Signing in by links and keys, and out; members, sessions and keys, as people do it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { lineWith } from '../../cli/test/lines.ts'
import { inTerminal, noTerminal } from '../../cli/test/terminal.ts'
import { programFile } from '../../server/test/kit/programFile.ts'
import { startFakeOpenaiCompatible } from '../../server/test/fakes/openaiCompatible.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { main, preparedDataDir, type Service } from '../../server/test/survival/processes.ts'
import { axe } from './kit/axe.ts'
import { databaseOf } from './kit/longRun.ts'
import { needsConsole, needsLongConsole, stage, untilLive } from './kit/stage.ts'

const story = stage()
const provider = await startFakeOpenaiCompatible()
after(() => provider.close())
const linkIn = (text: string): string | undefined => /http:\/\/\S+#sign-in=\w+/.exec(text)?.[0]

/** Nobody waits for seven days: the end of every session is now. */
async function runOut({ dataDir }: Service): Promise<void> {
  const client = new Client({ connectionString: databaseOf(dataDir) })
  await client.connect()
  await client.query('update sessions set until = now()')
  await client.end()
}

proves(
  'console.signIn',
  'a key signs in at the address that was opened, and a wrong one is refused in words',
  needsConsole,
  story(
    async ({ page, service, mayLog }) => {
      mayLog(/401/)
      await page.getByLabel('API key').fill('ry_wrong_key')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('This API key is unknown, expired or revoked.').waitFor()
      assert.deepEqual(await axe(page), [])
      await page.getByLabel('API key').fill(service.key)
      await page.keyboard.press('Enter')
      await page.getByRole('columnheader', { name: 'Browser' }).waitFor()
      assert.equal(new URL(page.url()).pathname, '/people')
    },
    { path: '/people?tab=sessions', key: null },
  ),
)

proves(
  'console.signIn',
  'an invitation signs a new member in, and removing the member ends their session at once',
  needsConsole,
  story(
    async ({ page, service, open, mayLog }) => {
      mayLog(/401/)
      await page.getByRole('button', { name: 'Add a member' }).click()
      await page.getByLabel('Name').fill('Night shift')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'A link for Night shift' })
      const link = (await dialog.locator('code').textContent()) ?? ''
      await page.keyboard.press('Escape')
      const theirs = await open({ key: null, path: new URL(link).pathname + new URL(link).hash })
      await theirs.getByRole('button', { name: /^Night shift settings/ }).waitFor()
      await theirs.goto(`${service.baseUrl}/people`)
      const unable = theirs.getByRole('button', { name: 'Add a member' })
      await unable.hover()
      await theirs.getByText('You need the scope keys:manage').first().waitFor()
      await page
        .getByRole('row', { name: /Night shift/ })
        .getByRole('button', { name: 'Remove' })
        .click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await theirs.getByRole('heading', { name: 'Your session has ended' }).waitFor()
      assert.equal(new URL(theirs.url()).pathname, '/people')
    },
    { path: '/people' },
  ),
)

proves(
  'console.signIn',
  'another session is ended from the list, and whoever signs in again is back where they were',
  needsLongConsole,
  story(
    async ({ page, service, open, mayLog }) => {
      mayLog(/401/)
      const other = await open({ path: '/runs?status=failed' })
      await other.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
      await page.reload()
      await page
        .getByRole('row')
        .filter({ hasNotText: 'this one' })
        .getByRole('button', { name: 'End', exact: true })
        .first()
        .click()
      await other.getByRole('heading', { name: 'Your session has ended' }).waitFor()
      await other.getByLabel('API key').fill(service.key)
      await other.getByRole('button', { name: 'Sign in' }).click()
      await other.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
      assert.equal(new URL(other.url()).search, '?status=failed')
    },
    { path: '/people?tab=sessions' },
  ),
)

proves(
  'console.keys',
  'a new key is shown once and works, and a revoked one does not',
  needsLongConsole,
  story(
    async ({ page, service }) => {
      await page.getByRole('button', { name: 'Make a key' }).click()
      await page.getByLabel('Name').fill('Shop')
      await page.getByRole('button', { name: 'Make the key' }).click()
      const key =
        (await page.getByRole('dialog', { name: 'Copy the key now' }).locator('code').first().textContent()) ?? ''
      const status = async () =>
        (await fetch(`${service.baseUrl}/v2/teams`, { headers: { authorization: `Bearer ${key}` } })).status
      assert.equal(await status(), 200)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('row', { name: /Shop/ }).getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('The key no longer works').waitFor()
      // every process knows it within a second
      while ((await status()) !== 401) await setTimeout(50)
    },
    { path: '/people?tab=keys' },
  ),
)

proves(
  'console.clients',
  'the command that is shown with a new OAuth client gets a token, and a removed client gets none',
  needsLongConsole,
  story(
    async ({ page, service }) => {
      await page.getByRole('button', { name: 'New client' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Till')
      await page.getByRole('button', { name: 'Make the client' }).click()
      const shown = page.getByRole('dialog', { name: 'Copy the secret now' }).locator('code')
      await shown.first().waitFor()
      const [id = '', secret = '', command = ''] = await shown.allTextContents()
      assert.equal(command, `curl -u '${id}:${secret}' -d grant_type=client_credentials ${service.baseUrl}/oauth/token`)
      const token = async () =>
        fetch(`${service.baseUrl}/oauth/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
          body: new URLSearchParams({ grant_type: 'client_credentials' }),
        })
      assert.equal((await token()).status, 200)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('row', { name: /Till/ }).getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByText('no longer work').waitFor()
      assert.equal((await token()).status, 401)
    },
    { path: '/people?tab=clients' },
  ),
)

proves(
  'console.audit',
  'the audit log is narrowed in the address, and an export that a reload interrupts becomes a whole file',
  needsLongConsole,
  story(
    async ({ page, sdk, service }) => {
      await sdk.members.create({ name: 'One more', role: 'viewer' })
      for (let n = 0; n < 120; n += 1) await sdk.queues.create({ name: `Queue ${n}` })
      await page.goto(`${service.baseUrl}/people?tab=audit`)
      await page.getByLabel('Operation').selectOption('createQueue')
      await page.getByText('120 entries, newest first').waitFor()
      assert.match(page.url(), /operation=createQueue/)
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await page.reload()
      await page.getByText('120 entries in a CSV file').waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save' }).click()
      const lines = (await readFile((await (await saved).path()) ?? '', 'utf8')).trim().split('\r\n')
      assert.match(lines[0] ?? '', /created_at,operation,outcome/)
      assert.equal(lines.length, 121)
      assert.ok(lines.slice(1).every((line) => line.includes(',createQueue,done,201,')))
    },
    { path: '/people?tab=audit' },
  ),
)

proves(
  'console.signIn',
  'a session that has run out asks to sign in again at the same address, and what was typed is still there and is sent',
  needsLongConsole,
  story(async ({ page, sdk, service, mayLog }) => {
    mayLog(/401/)
    const { agent_id } = await sdk.agents.create({
      name: 'Waits',
      build: { config: { version: 'v2', data: { input: '```ask\nWhich shelf?\n```' } } },
    })
    const { id } = await sdk.runs.startAndWait({ agent_id })
    const address = `${service.baseUrl}/runs/${id}?tab=messages&step=1`
    await page.goto(address)
    await page.getByLabel('Message to the run').fill('The third one is empty.')
    await page.getByLabel('Comment').fill('Not the upper ones.')
    await untilLive(page)
    await runOut(service)
    const profile = () => page.request.get(`${service.baseUrl}/v2/teams`)
    while ((await profile()).status() !== 401) await setTimeout(50)
    // what happens elsewhere makes the page ask for more
    await sdk.runs.postMessage(id, { message: 'Somebody moved it.' })
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    assert.equal(page.url(), address)
    await page.getByLabel('API key').fill(service.key)
    await page.keyboard.press('Enter')
    const message = page.getByLabel('Message to the run')
    await message.waitFor()
    assert.equal(page.url(), address)
    assert.equal(await message.inputValue(), 'The third one is empty.')
    assert.equal(await page.getByLabel('Comment').inputValue(), 'Not the upper ones.')
    await page.getByRole('button', { name: /^Send/ }).click()
    await page.getByRole('listitem').filter({ hasText: 'The third one is empty.' }).waitFor()
    // the event may be faster than the answer that empties the field
    await page.waitForFunction(
      (field) => (field as { value?: string } | null)?.value === '',
      await message.elementHandle(),
    )
  }),
)

proves(
  'signIn.open',
  'runyard open prints a link that opens the console, and only a terminal is shown one at the start',
  needsConsole,
  story(
    async ({ page, service, mayLog }) => {
      assert.equal(linkIn(service.box), undefined)
      assert.match(service.box, /Page +http:\/\/127\.0\.0\.1:\d+\/ /)
      const env = { RUNYARD_URL: service.baseUrl, RUNYARD_API_KEY: service.key }
      const { stdout } = await lineWith(['open', '--print'], { ...env, HOME: service.dataDir })
      const url = linkIn(stdout)
      assert.ok(url)
      await page.goto('about:blank')
      await page.goto(url)
      await page.getByRole('main').waitFor()
      await page.context().clearCookies()
      mayLog(/401/)
      await page.goto('about:blank')
      await page.goto(url)
      await page.getByText('This link was used already').waitFor()
    },
    { path: '/docs/mcp', key: null },
  ),
)

proves(
  'signIn.first',
  'a start in a terminal shows a link that opens the console',
  { skip: needsLongConsole.skip || noTerminal },
  story(
    async ({ page, mayLog }) => {
      const dataDir = await preparedDataDir()
      const env = { ...process.env, RUNYARD_DATA_DIR: dataDir.path, PORT: '0', LOG_LEVEL: 'warn', RUNYARD_DEMO: '0' }
      const terminal = inTerminal([process.execPath, programFile(main)], env, dataDir.path)
      try {
        await terminal.shows('└')
        const url = linkIn(terminal.bytes())
        assert.ok(url, terminal.bytes())
        mayLog(new RegExp(new URL(url).host))
        await page.goto(url)
        await page.getByRole('main').waitFor()
        await page.goto('about:blank')
        terminal.type('\u0003')
        assert.equal(await terminal.exited, 0)
      } finally {
        terminal.kill()
        await dataDir.remove()
      }
    },
    { path: '/docs/mcp', key: null },
  ),
)

proves(
  'console.models',
  'a key of a provider is tested before it is saved and never shown, and the rules for models are checked and kept',
  needsLongConsole,
  story(
    async ({ page, sdk, mayLog }) => {
      mayLog(/400/)
      const good = provider.listsModels
      provider.listsModels = { status: 401, error: { message: 'wrong key' } }
      const row = page.getByRole('row', { name: /OpenAI-compatible server/ })
      await row.getByText('no key: cannot be used').waitFor()
      await row.getByRole('button', { name: 'Give a key' }).click()
      await page.getByRole('dialog').getByLabel('Key').fill('sk-story-0123456789')
      await page.getByLabel('URL of the server').fill(provider.url)
      await page.keyboard.press('Enter')
      await page.getByText(/The key was not saved\..*wrong key/).waitFor()
      provider.listsModels = good
      await page.getByRole('button', { name: 'Test and save' }).click()
      await row.getByText('…6789').waitFor()
      assert.ok(!(await page.content()).includes('sk-story-0123456789'))
      assert.deepEqual(await axe(page), [])
      await page.getByLabel('Default model').fill('openai:gpt-5')
      await page.getByLabel('Allowed models').fill('openai-compatible:*')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('openai:gpt-5 is not among the allowed models').waitFor()
      await page.getByLabel('Default model').fill('openai-compatible:local')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The rules for models are saved').waitFor()
      const { model_settings } = await sdk.modelSettings.get()
      assert.deepEqual(model_settings.allowed_models, ['openai-compatible:*'])
      await row.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await row.getByText('no key: cannot be used').waitFor()
      // agents of later stories need no model
      await sdk.modelSettings.update({ allowed_models: null, default_model: null })
    },
    { path: '/people?tab=models' },
  ),
)

proves(
  'console.guardrails',
  'rules are tried, refused at their fields, made live, and restored',
  needsLongConsole,
  story(
    async ({ page, sdk, mayLog }) => {
      mayLog(/400/)
      const agent = await sdk.agents.create({
        name: 'Notes',
        instructions: '```memory path=a.md\nkept\n```\n```output\ndone\n```\n',
      })
      await sdk.runs.startAndWait({ agent_id: agent.agent_id })
      await page.getByLabel('Tools that always ask').fill('memory_*')
      await page.getByLabel('Time zone of the quiet hours').fill('Mars/Olympus')
      await page.getByRole('button', { name: 'Dry run' }).click()
      await page.getByText('is not a time zone').waitFor()
      await page.getByLabel('Time zone of the quiet hours').fill('Europe/Berlin')
      await page.getByRole('button', { name: 'Dry run' }).click()
      await page.getByText(/would have been touched/).waitFor()
      await page.getByRole('link', { name: /^Notes \d+, step 1$/ }).waitFor()
      assert.deepEqual(await axe(page), [])
      await page.getByLabel('Why').fill('Notes are read by others')
      await page.getByRole('button', { name: 'Make live' }).click()
      await page.getByText('version 1 is live', { exact: true }).waitFor()
      assert.deepEqual((await sdk.guardrails.get()).guardrails.rules.always_ask, ['memory_*'])
      await page.getByLabel('Tools that always ask').fill('')
      await page.getByRole('button', { name: 'Make live' }).click()
      await page.getByText('version 2 is live', { exact: true }).waitFor()
      await page
        .getByRole('row', { name: /Notes are read by others/ })
        .getByRole('button', { name: 'Restore' })
        .click()
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
      await page.getByText('version 3 is live', { exact: true }).waitFor()
      assert.equal((await sdk.guardrails.get()).guardrails.restores, 1)
    },
    { path: '/people?tab=guardrails' },
  ),
)
