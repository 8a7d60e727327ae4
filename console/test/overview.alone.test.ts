// The overview as a newcomer and as an operator see it.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { needsConsole, stage } from './kit/stage.ts'

const story = stage({ RUNYARD_DEMO: '1' })

proves(
  'console.overview',
  'a newcomer runs the demo agent and answers it by clicks alone',
  needsConsole,
  story(async ({ page, sdk }) => {
    await page.getByText('All is quiet.').waitFor()
    await page.getByRole('button', { name: 'Run it' }).click()
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/)
    await page.getByRole('button', { name: /^Approve/ }).click({ timeout: 30_000 })
    await page.getByRole('main').getByText('Completed').first().waitFor()
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
  needsConsole,
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
