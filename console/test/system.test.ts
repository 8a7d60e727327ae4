// The installation on the page: its process with loops and pools, its settings, diagnostics that one can paste.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

proves(
  'console.system',
  'the process that answers is shown with its loops and pools, settings are found by words, and diagnostics are copied',
  needsConsole,
  story(
    async ({ page, service }) => {
      await page.getByText('answers you', { exact: true }).waitFor()
      await page.getByRole('row', { name: /^schedules tick/ }).waitFor()
      await page.getByRole('row', { name: /^database connections/ }).waitFor()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: /^Copy diagnostics/ }).click()
      await page.getByText('Diagnostics copied').waitFor()
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      assert.match(copied, /^# Runyard \d/)
      assert.match(copied, /- loop schedules tick: [\d,]+ turns, 0 failed/)
      assert.match(copied, /- RUNYARD_SYSTEM_TEAMS=\*/)
      assert.ok(!copied.includes(service.key))
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByLabel('Search settings').fill('whole installation')
      await page.getByText('1 setting of the process').waitFor()
      await page.getByRole('row', { name: /^RUNYARD_SYSTEM_TEAMS set/ }).waitFor()
      assert.match(page.url(), /find=whole/)
    },
    { path: '/system' },
  ),
)

proves(
  'console.system',
  'a viewer sees which scope is missing',
  needsLongConsole,
  story(async ({ sdk, open }) => {
    const { member_id } = await sdk.members.create({ name: 'Auditor', role: 'viewer' })
    const { secret: key } = await sdk.apiKeys.create({ user_id: member_id, scopes: ['*'] })
    const theirs = await open({ key, path: '/system' })
    await theirs.getByText('You need the scope system:read').first().waitFor()
  }),
)
