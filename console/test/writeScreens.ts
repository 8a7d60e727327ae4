// npm run screens: pictures of every screen of the console in both themes, of a team with sample data, into docs/screens/console.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { Runyard } from '../../sdk/src/index.ts'
import { smallPng } from '../../server/test/smallPng.ts'
import { databaseOf } from './kit/longRun.ts'
import { makeSampleData, type SampleData } from './kit/sampleData.ts'
import { addDays } from './kit/sampleDays.ts'
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
  {
    name: 'start-run-inputs',
    path: () => '/runs',
    act: async (page) => {
      await page.getByRole('button', { name: 'Start run' }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Refund desk/ })
        .click()
    },
  },
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

const wanted = process.argv.slice(2)
const chosen = screens.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
const open = await openStage({ RUNYARD_DEMO: '1' })
try {
  const { service, browser } = open
  const runyard = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
  const data = await makeSampleData(runyard)
  await addDays(databaseOf(open.dataDir), runyard, data)
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
