// Alerts on the page: a rule is tried and made, its incident is looked at and acknowledged; an agent is paused and resumed.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import type { Runyard } from '../../sdk/src/index.ts'
import { proves } from '../../server/test/kit/proves.ts'
import type { Service } from '../../server/test/survival/processes.ts'
import { axe } from './kit/axe.ts'
import { databaseOf } from './kit/longRun.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

/** Three due times of the team were missed a moment ago: a signal that is there at once. */
async function missThree({ dataDir, teamId }: Service): Promise<void> {
  const client = new Client({ connectionString: databaseOf(dataDir) })
  await client.connect()
  await client.query(
    `insert into schedule_misses (id, team_id, schedule_id, agent_id, reason)
     select gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'late' from generate_series(1, 3)`,
    [teamId],
  )
  await client.end()
}

async function openIncident(sdk: Runyard) {
  for (;;) {
    const { incidents } = await sdk.alerts.listIncidents({ state: 'open' }).page()
    if (incidents[0]) return incidents[0]
  }
}

proves(
  'console.alerts',
  'a rule is tried and made, and its incident shows what is behind it and who looks at it',
  needsConsole,
  story(
    async ({ page, sdk, service }) => {
      await missThree(service)
      await sdk.queues.create({ name: 'Late papers' })
      await page.getByRole('link', { name: 'New rule' }).first().click()
      await page.getByLabel(/^Name/).fill('Reports are late')
      await page.getByLabel('Signal', { exact: true }).selectOption('queue_age')
      await page.getByRole('group', { name: 'queues' }).getByRole('button', { name: 'Late papers' }).click()
      await page.getByRole('button', { name: 'What would it say now?' }).click()
      await page.getByText('Oldest case that waits: nothing').waitFor()
      await page.getByLabel('Signal', { exact: true }).selectOption('schedule_misses')
      await page.getByLabel('Opens at').fill('2')
      await page.getByRole('button', { name: 'What would it say now?' }).click()
      await page.getByText('Missed due times: 3, the threshold is 2.').waitFor()
      assert.deepEqual(await axe(page), [])
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('row', { name: /Reports are late/ }).waitFor()
      const { id } = await openIncident(sdk)
      await page.getByRole('link', { name: 'Incidents' }).click()
      await page.getByRole('link', { name: 'Reports are late' }).click()
      assert.equal(new URL(page.url()).searchParams.get('incident'), id)
      await page.getByText('It was due while the service was not there.').first().waitFor()
      await page.getByLabel('Note', { exact: true }).fill('On it.')
      await page.getByRole('button', { name: 'I am on it' }).click()
      await page.getByText('Acknowledged', { exact: true }).waitFor()
      assert.equal((await sdk.alerts.getIncident(id)).incident.note, 'On it.')
      assert.deepEqual(await axe(page), [])
    },
    { path: '/alerts?tab=rules' },
  ),
)

proves(
  'console.alerts',
  'an agent is paused with a reason and resumed, and its page says which it is',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const input = '```output\ndone\n```\n'
    const build = { config: { version: 'v2' as const, data: { input } } }
    const { agent_id: id } = await sdk.agents.create({ name: 'Payer', build })
    await page.goto(`${service.baseUrl}/agents/${id}`)
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Pause…')
    await page.getByLabel('Reason').fill('It pays twice.')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('paused', { exact: true }).waitFor()
    assert.equal((await sdk.agents.get(id)).agent.paused_reason, 'It pays twice.')
    await choose('Resume')
    await page.getByText('The agent is resumed').waitFor()
    assert.equal((await sdk.agents.get(id)).agent.paused_at, null)
  }),
)
