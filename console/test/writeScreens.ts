// npm run screens: pictures of every screen of the console in both themes, of a team with sample data, into docs/screens/console. Words after
// `--` choose those whose names have one of them: `npm run screens -- connections-secrets agent-builder`.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { Runyard } from '../../sdk/src/index.ts'
import { startFakeOpenaiCompatible } from '../../server/test/fakes/openaiCompatible.ts'
import { smallPng } from '../../server/test/smallPng.ts'
import { freePort } from '../../server/test/survival/processes.ts'
import { databaseOf } from './kit/longRun.ts'
import { makeSampleData, type SampleData } from './kit/sampleData.ts'
import { makeSampleAlerts, type SampleAlerts } from './kit/sampleAlerts.ts'
import { makeSampleArtifacts } from './kit/sampleArtifacts.ts'
import { makeSampleBuilder, type SampleBuilder } from './kit/sampleBuilder.ts'
import { addDays } from './kit/sampleDays.ts'
import { makeSampleGiven } from './kit/sampleGiven.ts'
import { makeSampleGuardrails, type SampleGuardrails } from './kit/sampleGuardrails.ts'
import { makeSampleLongWork } from './kit/sampleLongWork.ts'
import { makeSampleMails, sampleMailSettings } from './kit/sampleMails.ts'
import { makeSampleModels } from './kit/sampleModels.ts'
import { ageCases, makeSampleQueue, type SampleQueue } from './kit/sampleQueues.ts'
import { makeSampleReplays, type SampleReplays } from './kit/sampleReplays.ts'
import { makeOutside, startOutside, type Outside } from './kit/sampleOutside.ts'
import { makeSampleTriggers, sampleInboxSettings, type SampleTriggers } from './kit/sampleTriggers.ts'
import { enter, newWindow, onThisMachine, openStage, type Opening } from './kit/stage.ts'

type Data = SampleData & {
  artifact: string
  outside: Outside
  triggers: SampleTriggers
  builder: SampleBuilder
  longWork: string
  replays: SampleReplays
  guardrails: SampleGuardrails
  alerts: SampleAlerts
}

interface Screen {
  name: string
  path: (data: Data, queue: SampleQueue) => string
  /** What a person does before the picture is taken. */
  act?: (page: Page) => Promise<void>
  isPhone?: boolean
  isSignedOut?: boolean
}

const run = ({ runs }: SampleData, name: keyof SampleData['runs'], search = '') => `/runs/${runs[name]}${search}`
const agent = ({ agents }: SampleData, search = '') => `/agents/${agents['Refund desk']}${search}`

const ofTriggers = ({ triggers }: Data): string =>
  `/agents/${triggers.agent}?tab=triggers&deliveries=${triggers.webhook}`

const suggestion = ({ replays }: Data): string =>
  `/agents/${replays.agent}?tab=suggestions&suggestion=${replays.suggestion}`

const ofReplays = ({ replays }: Data, search = ''): string => `/agents/${replays.agent}?tab=replays${search}`

const openReplay = (data: Data): string => ofReplays(data, `&replay=${data.replays.replay}`)

/** Opens the first run that changed. */
async function openReplayedRun(page: Page): Promise<void> {
  const runs = page.getByRole('list', { name: 'Runs of the replay' })
  await runs.getByRole('button').first().click()
  await page.getByRole('link', { name: 'Open the recorded run' }).waitFor()
  await runs.scrollIntoViewIfNeeded()
}

/** What stricter rules would have done. */
async function tryRules(page: Page): Promise<void> {
  await page.getByLabel('Runs', { exact: true }).fill('1500')
  await page.getByLabel('Tools that always ask').fill('browser_*\ngithub_request\nhttp_request')
  await page.getByRole('button', { name: 'Dry run' }).click()
  await page.getByText(/would have been touched/).waitFor()
  await page.getByRole('region', { name: 'Dry run' }).scrollIntoViewIfNeeded()
}

const toHead = (name: string) => (page: Page) =>
  page.getByRole('region', { name }).evaluate((shown) => shown.scrollIntoView())

const toButton = (name: string) => (page: Page) =>
  page.getByRole('button', { name }).evaluate((shown) => shown.scrollIntoView({ block: 'center' }))

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
  { name: 'run-long-work', path: ({ longWork }) => `/runs/${longWork}?step=16` },
  { name: 'run-compare', path: (data) => run(data, 'completed', `?tab=compare&with=${data.runs.stepFailed}`) },
  { name: 'inbox', path: () => '/inbox' },
  { name: 'inbox-two-people', path: ({ guardrails }) => `/inbox?request=${guardrails.request}` },
  { name: 'agents', path: () => '/agents' },
  { name: 'agent', path: (data) => agent(data) },
  { name: 'agent-builds', path: (data) => agent(data, '?tab=builds') },
  { name: 'agent-schedules', path: ({ agents }) => `/agents/${agents['Night ledger']}?tab=schedules` },
  { name: 'agent-memory', path: ({ agents }) => `/agents/${agents.Restock}?tab=memory` },
  { name: 'agent-rubrics', path: ({ agents }) => `/agents/${agents['Data import']}?tab=rubrics` },
  { name: 'agent-triggers', path: ({ agents }) => `/agents/${agents.Support}?tab=triggers` },
  { name: 'agent-triggers-deliveries', path: ofTriggers },
  { name: 'agent-builder-questions', path: ({ builder }) => builder.asks },
  { name: 'agent-builder-proposal', path: ({ builder }) => builder.proposes },
  { name: 'agent-replay', path: openReplay },
  { name: 'agent-replay-run', path: openReplay, act: openReplayedRun },
  { name: 'agent-suggestions', path: suggestion },
  { name: 'alerts', path: () => '/alerts' },
  { name: 'alerts-rules', path: () => '/alerts?tab=rules' },
  { name: 'alerts-incident', path: ({ alerts }) => `/alerts?incident=${alerts.incident}` },
  { name: 'artifacts', path: () => '/artifacts' },
  { name: 'artifact', path: ({ artifact }) => `/artifacts/${artifact}` },
  { name: 'artifact-revisions', path: ({ artifact }) => `/artifacts/${artifact}?panel=revisions` },
  { name: 'evaluations', path: () => '/evaluations?span=7d' },
  { name: 'evaluations-agent', path: ({ agents }) => `/evaluations?agent=${agents['Price watch']}&span=7d` },
  { name: 'connections', path: () => '/connections' },
  { name: 'connections-secrets', path: () => '/connections?tab=secrets' },
  { name: 'connections-logins', path: () => '/connections?tab=logins' },
  { name: 'connections-skills', path: () => '/connections?tab=skills' },
  { name: 'connections-files', path: () => '/connections?tab=files' },
  { name: 'connection', path: ({ outside }) => `/connections/${outside.crm}` },
  { name: 'connection-tools', path: ({ outside }) => `/connections/${outside.wiki}?tool=search_pages` },
  { name: 'events', path: () => '/events' },
  { name: 'events-delivery', path: ({ outside }) => `/events?tab=deliveries&delivery=${outside.delivery}` },
  { name: 'events-receivers', path: () => '/events?tab=receivers' },
  { name: 'usage', path: () => '/usage?period=30d' },
  { name: 'sandboxes', path: () => '/sandboxes' },
  { name: 'sandbox', path: ({ sandboxId }) => `/sandboxes/${sandboxId}?file=/workspace/in/orders.csv` },
  {
    name: 'sandbox-commands',
    path: ({ sandboxId }) => `/sandboxes/${sandboxId}?tab=commands`,
    act: async (page) => {
      for (const command of ['head -2 in/orders.csv', 'cat in/returns.csv']) {
        await page.getByLabel('Command', { exact: true }).fill(command)
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: /^Run/, disabled: false }).waitFor()
        await page.getByRole('region', { name: command }).getByText(/^exit/).waitFor()
      }
    },
  },
  { name: 'queues', path: () => '/queues' },
  { name: 'queue-board', path: (_, { queue }) => `/queues/${queue}` },
  { name: 'queue-table', path: (_, { queue }) => `/queues/${queue}?tab=table` },
  { name: 'queue-work', path: (_, { queue }) => `/queues/${queue}?tab=work` },
  { name: 'case', path: (_, { asked }) => `/cases/${asked}` },
  {
    name: 'queue-import',
    path: (_, { queue }) => `/queues/${queue}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'More of this queue' }).click()
      await page.getByRole('menuitem', { name: /^Import/ }).click()
      const text =
        'refund,customer,amount,region\n4801,Blue shop,12.50,north\n4802,Corner shop,7.00,south\n,No title,3.00,\n'
      const file = { name: 'refunds.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
      await page.locator('input[type=file]').setInputFiles(file)
    },
  },
  { name: 'people', path: () => '/people' },
  { name: 'system', path: () => '/system' },
  {
    name: 'drills',
    path: () => '/system?tab=drills',
    act: async (page) => {
      await page.getByLabel('Runs', { exact: true }).fill('20')
      await page.getByLabel('Workers to kill').fill('3')
      await page.getByRole('button', { name: 'Start drill' }).click()
      await page.getByText('Drill under way').waitFor()
      await page.getByRole('button', { name: 'Start drill' }).waitFor({ timeout: 180_000 })
    },
  },
  { name: 'people-models', path: () => '/people?tab=models' },
  { name: 'people-mcp', path: () => '/people?tab=mcp' },
  { name: 'guardrails', path: () => '/people?tab=guardrails' },
  { name: 'guardrails-stops', path: () => '/people?tab=guardrails', act: toHead('What was stopped') },
  { name: 'guardrails-dry-run', path: () => '/people?tab=guardrails', act: tryRules },
  { name: 'audit-log', path: () => '/people?tab=audit' },
  { name: 'notifications', path: () => '/notifications' },
  {
    name: 'tour',
    path: () => '/',
    act: async (page) => {
      await page.getByRole('button', { name: 'Take the tour' }).click()
      for (let stop = 0; stop < 3; stop++) await page.getByRole('button', { name: 'Next', exact: true }).click()
    },
  },
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
  { name: 'phone-queue', path: (_, { queue }) => `/queues/${queue}`, isPhone: true },
  { name: 'phone-queue-table', path: (_, { queue }) => `/queues/${queue}?tab=table`, isPhone: true },
  { name: 'phone-case', path: (_, { asked }) => `/cases/${asked}`, isPhone: true },
  { name: 'phone-inbox', path: () => '/inbox', isPhone: true },
  { name: 'phone-artifact', path: ({ artifact }) => `/artifacts/${artifact}`, isPhone: true },
  {
    name: 'phone-evaluations',
    path: ({ agents }) => `/evaluations?agent=${agents['Price watch']}&span=7d`,
    isPhone: true,
  },
  { name: 'phone-notifications', path: () => '/notifications', isPhone: true },
  { name: 'phone-connection', path: ({ outside }) => `/connections/${outside.crm}`, isPhone: true },
  {
    name: 'phone-events-delivery',
    path: ({ outside }) => `/events?tab=deliveries&delivery=${outside.delivery}`,
    isPhone: true,
  },
  { name: 'phone-run-long-work', path: ({ longWork }) => `/runs/${longWork}?step=16`, isPhone: true },
  { name: 'phone-agent-triggers-deliveries', path: ofTriggers, isPhone: true },
  {
    name: 'phone-agent-builder-proposal',
    path: ({ builder }) => builder.proposes,
    act: (page) => page.getByRole('region', { name: 'Proposal' }).scrollIntoViewIfNeeded(),
    isPhone: true,
  },
  { name: 'phone-connections-secrets', path: () => '/connections?tab=secrets', isPhone: true },
  { name: 'phone-people-models', path: () => '/people?tab=models', isPhone: true },
  { name: 'phone-inbox-two-people', path: ({ guardrails }) => `/inbox?request=${guardrails.request}`, isPhone: true },
  { name: 'phone-alerts', path: () => '/alerts', isPhone: true },
  { name: 'phone-alerts-rules', path: () => '/alerts?tab=rules', isPhone: true },
  { name: 'phone-alerts-incident', path: ({ alerts }) => `/alerts?incident=${alerts.incident}`, isPhone: true },
  { name: 'phone-guardrails', path: () => '/people?tab=guardrails', isPhone: true },
  {
    name: 'phone-guardrails-stops',
    path: () => '/people?tab=guardrails',
    act: toHead('What was stopped'),
    isPhone: true,
  },
  { name: 'phone-guardrails-dry-run', path: () => '/people?tab=guardrails', act: tryRules, isPhone: true },
  { name: 'phone-agent-replay', path: openReplay, isPhone: true },
  { name: 'phone-agent-replay-run', path: openReplay, act: openReplayedRun, isPhone: true },
  { name: 'phone-agent-replay-gate', path: openReplay, act: toButton('Change the gate'), isPhone: true },
  { name: 'phone-agent-suggestions', path: suggestion, isPhone: true },
  {
    name: 'phone-agent-suggestions-decision',
    path: suggestion,
    act: toButton('Accept and promote'),
    isPhone: true,
  },
  { name: 'phone-usage', path: () => '/usage?period=30d', isPhone: true },
]

const folder = fileURLToPath(new URL('../../docs/screens/console/', import.meta.url))
const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
/** Until plots and editors, which come later than the rest, are drawn. */
const settledMs = 1500

const wanted = process.argv.slice(2)
const chosen = screens.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
const mailPort = await freePort()
const open = await openStage({
  RUNYARD_DEMO: '1',
  ...sampleMailSettings,
  ...sampleInboxSettings(mailPort),
  ...onThisMachine,
})
const servers = await startOutside()
const provider = await startFakeOpenaiCompatible()
try {
  const { service, browser } = open
  const runyard = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
  const queue = await makeSampleQueue(runyard)
  const database = databaseOf(open.dataDir)
  await ageCases(database, queue)
  const sample = await makeSampleData(runyard)
  await addDays(database, runyard, sample)
  await makeSampleMails(database, runyard)
  const artifact = await makeSampleArtifacts(runyard)
  const outside = await makeOutside(runyard, servers)
  await makeSampleGiven(runyard, servers.api.url)
  const builder = await makeSampleBuilder(runyard, database)
  const failing = sample.agents['Price watch']
  const triggers = await makeSampleTriggers(runyard, { wiki: outside.wiki, failing, mailPort })
  const longWork = await makeSampleLongWork(runyard, database)
  const replays = await makeSampleReplays(runyard, database)
  const { baseUrl } = service
  const given = { baseUrl, operator: sample.operator, billing: outside.billing }
  const guardrails = await makeSampleGuardrails(runyard, given)
  // from then on agents whose builds name no model ask this one
  await makeSampleModels(runyard, provider)
  const alerts = await makeSampleAlerts(runyard, { agents: sample.agents, queue: queue.queue })
  const data: Data = {
    ...sample,
    artifact,
    outside,
    builder,
    triggers,
    longWork,
    replays,
    guardrails,
    alerts,
  }
  await mkdir(folder, { recursive: true })
  for (const theme of ['light', 'dark'] as const) {
    for (const { name, path, act, isPhone = false, isSignedOut = false } of chosen) {
      const opening: Opening = {
        theme,
        size: isPhone ? phone : desktop,
        path: path(data, queue),
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
  await Promise.all([...Object.values(servers), provider].map((server) => server.close()))
}
