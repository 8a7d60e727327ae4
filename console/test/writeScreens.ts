// npm run screens: pictures of every screen of the console in both themes, of a team with sample data, into docs/screens/console.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import type { Page } from 'playwright-core'
import { Runyard } from '../../sdk/src/index.ts'
import { sqlOn } from '../../server/src/base/db.ts'
import { connectionUrl, embeddedPostgres } from '../../server/src/base/embeddedPostgres.ts'
import { seedRuns } from '../../server/test/kit/seedRuns.ts'
import { smallPng } from '../../server/test/smallPng.ts'
import { makeSampleData, type SampleData } from './kit/sampleData.ts'
import { enter, newWindow, openStage, type Opening } from './kit/stage.ts'

interface Screen {
  name: string
  path: (data: SampleData) => string
  /** What a person does before the picture is taken. */
  act?: (page: Page) => Promise<void>
  isPhone?: boolean
  isSignedOut?: boolean
}

const run = ({ runs }: SampleData, name: keyof SampleData['runs'], search = '') => `/runs/${runs[name]}${search}`
const agent = ({ agents }: SampleData, search = '') => `/agents/${agents['Refund desk']}${search}`

const screens: Screen[] = [
  { name: 'sign-in', path: () => '/', isSignedOut: true },
  { name: 'overview', path: () => '/' },
  { name: 'runs', path: () => '/runs' },
  { name: 'run', path: (data) => run(data, 'action', '?step=1') },
  { name: 'run-sixty-steps', path: (data) => run(data, 'sixtySteps', '?step=12') },
  { name: 'run-failed', path: (data) => run(data, 'stepFailed') },
  { name: 'run-messages', path: (data) => run(data, 'parent', '?tab=messages') },
  { name: 'run-report', path: (data) => run(data, 'sixtySteps', '?tab=report') },
  { name: 'run-evaluation', path: (data) => run(data, 'completed', '?tab=evaluation') },
  { name: 'run-events', path: (data) => run(data, 'parent', '?tab=events') },
  { name: 'run-compare', path: (data) => run(data, 'completed', `?tab=compare&with=${data.runs.stepFailed}`) },
  { name: 'inbox', path: () => '/inbox' },
  { name: 'agents', path: () => '/agents' },
  { name: 'agent', path: (data) => agent(data) },
  { name: 'agent-builds', path: (data) => agent(data, '?tab=builds') },
  { name: 'agent-schedules', path: ({ agents }) => `/agents/${agents['Night ledger']}?tab=schedules` },
  { name: 'agent-memory', path: ({ agents }) => `/agents/${agents.Restock}?tab=memory` },
  { name: 'agent-rubrics', path: ({ agents }) => `/agents/${agents['Data import']}?tab=rubrics` },
  { name: 'agent-triggers', path: ({ agents }) => `/agents/${agents.Support}?tab=triggers` },
  { name: 'people', path: () => '/people' },
  { name: 'start-run', path: () => '/runs', act: (page) => page.getByRole('button', { name: 'Start run' }).click() },
  { name: 'palette', path: () => '/runs', act: (page) => page.keyboard.press('Control+k') },
  { name: 'phone-overview', path: () => '/', isPhone: true },
  { name: 'phone-runs', path: () => '/runs', isPhone: true },
  { name: 'phone-run', path: (data) => run(data, 'action'), isPhone: true },
  { name: 'phone-inbox', path: () => '/inbox', isPhone: true },
]

const folder = fileURLToPath(new URL('../../docs/screens/console/', import.meta.url))
const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
/** Until plots and editors, which come later than the rest, are drawn. */
const settledMs = 1500

/** Runs of two days, so that plots show one and compare it with the other. */
async function addDays(dataDir: string, runyard: Runyard, { agents }: SampleData): Promise<void> {
  const address = (await embeddedPostgres({ dataDir, log: () => undefined })).address()
  const client = new Client(connectionUrl(address))
  await client.connect()
  try {
    const found = await Promise.all(
      Object.values(agents).map(async (id) => ({
        id,
        buildId: (await runyard.agents.get(id)).agent.live_build_id ?? '',
      })),
    )
    const { profile } = await runyard.teams.profile()
    await seedRuns(sqlOn(client), {
      teamId: profile.team_id,
      agents: found.filter(({ buildId }) => buildId !== ''),
      users: [profile.id],
      queues: [crypto.randomUUID()],
      runs: 2400,
      // the newest rows of the lists are those of the sample
      until: new Date(Date.now() - 30 * 60_000),
      days: 2,
    })
    // some hours cost more than others
    await client.query(
      `update runs set cost_usd = round((0.02 + 0.015 * sin(extract(epoch from created_at) / 9000))::numeric, 4)
       where team_id = $1 and completed_at is not null and title like '% of ticket%'`,
      [profile.team_id],
    )
  } finally {
    await client.end()
  }
}

const wanted = process.argv.slice(2)
const chosen = screens.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
const open = await openStage({ RUNYARD_DEMO: '1' })
try {
  const { service, browser } = open
  const runyard = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
  const data = await makeSampleData(runyard)
  await addDays(open.dataDir, runyard, data)
  await mkdir(folder, { recursive: true })
  for (const theme of ['light', 'dark'] as const) {
    for (const { name, path, act, isPhone = false, isSignedOut = false } of chosen) {
      const opening: Opening = {
        theme,
        size: isPhone ? phone : desktop,
        path: path(data),
        ...(isSignedOut && { key: null }),
      }
      const page = await newWindow(browser, opening)
      await enter(page, service, opening)
      await page.getByRole('main').first().waitFor()
      await act?.(page)
      await page.waitForTimeout(settledMs)
      await writeFile(join(folder, `${name}-${theme}.png`), smallPng(await page.screenshot()))
      await page.context().close()
      console.log(`docs/screens/console/${name}-${theme}.png`)
    }
  }
} finally {
  await open.close()
}
