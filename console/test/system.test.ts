// The installation on the page: its process with loops and pools, its settings, diagnostics that one can paste.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
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

proves(
  'console.drills',
  'the tab of drills says what a drill does, and refuses a number out of its bounds',
  needsConsole,
  story(
    async ({ page }) => {
      await page.getByText('Work of other teams is not touched').waitFor()
      await page.getByLabel('Workers to kill').fill('501')
      await page.getByText('A whole number from 0 to 500.').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Start drill' }).getAttribute('aria-disabled'), 'true')
      assert.deepEqual(await axe(page), [])
    },
    { path: '/system?tab=drills' },
  ),
)

proves(
  'console.drills',
  'a drill is started on the page, shows how far it is, and then its verdict and its numbers',
  needsLongConsole,
  story(
    async ({ page }) => {
      await page.getByLabel('Runs', { exact: true }).fill('4')
      await page.getByLabel('Workers to kill').fill('1')
      await page.getByRole('button', { name: 'Start drill' }).click()
      await page.getByText('Drill under way').waitFor()
      await page.getByText(/4 runs over 1 killed workers: nothing was lost/).waitFor({ timeout: 120_000 })
      await page.getByRole('row', { name: /All zeros 4 1 0/ }).waitFor()
      assert.deepEqual(await axe(page), [])
    },
    { path: '/system?tab=drills' },
  ),
)
