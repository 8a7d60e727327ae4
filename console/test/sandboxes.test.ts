// Sandboxes on the page: files up, looked at and away again, commands, and what a reload leaves of them.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

/** Commands have a lower priority than everything else: on a busy machine they come last. */
const commandPatience = { timeout: 60_000 }

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

proves(
  'console.sandboxes',
  'a file is uploaded, looked at, counted by a command, and deleted',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      await page.getByRole('button', { name: 'New sandbox' }).first().click()
      await page.getByRole('button', { name: 'Make it' }).click()
      await page.getByText('No files yet').waitFor()
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await page.getByLabel('Files to upload').setInputFiles(file('orders.csv', 'order,amount\n88214,412.75\n'))
      await page.getByText('1 file uploaded').waitFor()
      await page.getByRole('link', { name: /orders\.csv/ }).click()
      await page.getByRole('cell', { name: '412.75' }).waitFor()
      assert.deepEqual(await axe(page), [])
      await page.getByRole('link', { name: 'Commands' }).click()
      await page.getByLabel('Command', { exact: true }).fill('wc -l orders.csv > lines.txt; cat lines.txt')
      await page.keyboard.press('Enter')
      await page.getByRole('log').getByText('2 orders.csv').waitFor(commandPatience)
      await page.getByText(/^exit 0/).waitFor()
      await page.getByRole('link', { name: /^Files/ }).click()
      await page.getByRole('link', { name: /lines\.txt/ }).waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('orders.csv was deleted').waitFor()
      const { files } = await sdk.sandboxes.listFiles(id)
      assert.deepEqual(
        files.map(({ name }) => name),
        ['lines.txt'],
      )
      assert.equal((await sdk.sandboxes.getFileContent(id, { path: 'lines.txt' })).content?.trim(), '2 orders.csv')
    },
    { path: '/sandboxes' },
  ),
)

proves(
  'console.sandboxes.resume',
  'an upload that a reload cuts off ends after it, and each file is there whole',
  needsLongConsole,
  story(async ({ page, sdk, service, mayLog }) => {
    mayLog(/ERR_FAILED|Failed to load/)
    const { sandbox_id } = await sdk.sandboxes.create({})
    await page.goto(`${service.baseUrl}/sandboxes/${sandbox_id}`)
    await page.getByText('No files yet').waitFor()
    // nothing arrives before the reload
    await page.route('**/files/*/uploads/**', (route) => route.abort())
    const names = Array.from({ length: 9 }, (_, at) => `part-${at}.txt`)
    await page.getByLabel('Files to upload').setInputFiles(names.map((name) => file(name, `${name} `.repeat(20_000))))
    await page.getByText('The connection was cut off.').waitFor()
    await page.unroute('**/files/*/uploads/**')
    await page.reload()
    await page.getByText('9 files uploaded').waitFor()
    const { files } = await sdk.sandboxes.listFiles(sandbox_id)
    assert.deepEqual(
      files.map(({ name, size_bytes }) => [name, size_bytes]),
      names.map((name) => [name, `${name} `.length * 20_000]),
    )
  }),
)

proves(
  'console.sandboxes.resume',
  'a command that runs while the page is reloaded runs once, and its answer comes',
  needsLongConsole,
  story(async ({ page, sdk, service, mayLog }) => {
    // the first call still waits for its answer
    mayLog(/409/)
    const { sandbox_id } = await sdk.sandboxes.create({})
    await page.goto(`${service.baseUrl}/sandboxes/${sandbox_id}?tab=commands`)
    await page.getByLabel('Command', { exact: true }).fill('sleep 4; echo done >> times.txt; cat times.txt')
    await page.keyboard.press('Enter')
    await page.getByText(/^runs for/).waitFor()
    await page.getByText('busy', { exact: true }).waitFor()
    await page.reload()
    await page.getByText(/^exit 0/).waitFor(commandPatience)
    assert.equal((await sdk.sandboxes.getFileContent(sandbox_id, { path: 'times.txt' })).content, 'done\n')
  }),
)

proves(
  'console.sandboxes',
  'files that are dropped go to the chosen folder',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { sandbox_id } = await sdk.sandboxes.create({})
    await sdk.sandboxes.upload(sandbox_id, 'in/first.txt', new Blob(['first']))
    await page.goto(`${service.baseUrl}/sandboxes/${sandbox_id}`)
    await page.getByRole('button', { name: /^in\// }).click()
    const dropped = await page.evaluateHandle(
      `(() => {
        const data = new DataTransfer()
        data.items.add(new File(['second'], 'second.txt', { type: 'text/plain' }))
        return data
      })()`,
    )
    await page.getByText('Drop files here; they go to').dispatchEvent('drop', { dataTransfer: dropped })
    await page.getByText('1 file uploaded').waitFor()
    await page.getByRole('link', { name: /second\.txt/ }).click()
    await page.getByText('second', { exact: true }).waitFor()
    assert.equal((await sdk.sandboxes.getFileContent(sandbox_id, { path: 'in/second.txt' })).content, 'second')
  }),
)
