// Every screen, tab and dialog of the console, each with what a person sees when it is drawn, for proofs that hold everywhere.
import type { Page } from 'playwright-core'
import type { Runyard } from '../../../sdk/src/index.ts'
import { agentInput, sampleAgents, type SampleAgent } from './sampleAgents.ts'
import { requestOfRun, untilStatus } from './sampleData.ts'

export interface ScreenData {
  /** Has builds, a schedule, rubrics, a gate, memory and a trigger. */
  agent: string
  /** Waits for a person who allows one call. */
  waiting: string
  completed: string
  failed: string
  /** One request of each type. */
  requests: Record<'approval' | 'form' | 'question' | 'login', string>
}

export interface Screen {
  name: string
  path: (data: ScreenData) => string
  /** A text that is there as soon as the screen is drawn. */
  seen: string | RegExp
  /** Opens a dialog, a menu or a list. */
  act?: (page: Page) => Promise<void>
  /** One of those that people look at all day. */
  isMain?: boolean
}

/** A little of everything, made over the SDK. */
export async function makeScreenData(sdk: Runyard): Promise<ScreenData> {
  const make = async (name: SampleAgent): Promise<string> =>
    (await sdk.agents.create(agentInput(name, sampleAgents[name]))).agent_id
  const run = async (agent_id: string, until: 'waiting' | 'completed' | 'failed', message = {}): Promise<string> => {
    const { run_id } = await sdk.runs.start({ agent_id, message })
    await untilStatus(sdk, run_id, until)
    return run_id
  }
  const names = [
    'Refund desk',
    'Vendor onboarding',
    'Parcel desk',
    'Statement fetch',
    'Address checker',
    'Price watch',
  ] as const
  const [agent = '', form = '', question = '', login = '', checker = '', prices = ''] = await Promise.all(
    names.map(make),
  )
  const order = { order: '88214', amount: 412.75, reason: 'damaged on arrival' }
  const [waiting, asksForm, asks, asksLogin, completed, failed] = await Promise.all([
    run(agent, 'waiting', order),
    run(form, 'waiting'),
    run(question, 'waiting'),
    run(login, 'waiting'),
    run(checker, 'completed', { address: 'Long Lane 4' }),
    run(prices, 'failed'),
    furnish(sdk, agent),
  ])
  const idOf = async (runId: string): Promise<string> => (await requestOfRun(sdk, runId)).id
  return {
    agent,
    waiting,
    completed,
    failed,
    requests: {
      approval: await idOf(waiting),
      form: await idOf(asksForm),
      question: await idOf(asks),
      login: await idOf(asksLogin),
    },
  }
}

/** So that no tab of the agent is empty. */
async function furnish(sdk: Runyard, agent: string): Promise<void> {
  const { queue_id } = await sdk.queues.create({ name: 'Returns' })
  await Promise.all([
    sdk.agents.createRevision(agent, { name: 'Shorter', config: draftConfig }),
    sdk.schedules.create(agent, { frequency: 'daily', time: '02:15', timezone: 'Europe/Berlin' }),
    sdk.evaluations.putPromotionGate(agent, { min_score: 0.8, last_runs: 5 }),
    sdk.memory.put(agent, 'policy.md', { content: '# Policy\n\nFull price within 14 days.' }),
    sdk.caseTriggers.create(agent, { case_queue_id: queue_id, enabled: true, concurrency: 3 }),
  ])
}

const draftConfig = { version: 'v2', data: { input: '# Refund\n\n```output\nLater.\n```' } } as const

const opened = (page: Page): Promise<void> => page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor()

const press =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name }).first().click()
    await opened(page)
  }

const choose =
  (menu: string | RegExp, item: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: menu }).first().click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').waitFor()
  }

const type =
  (keys: string) =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press(keys)
    await opened(page)
  }

const ofAgent =
  (search: string) =>
  ({ agent }: ScreenData) =>
    `/agents/${agent}${search}`
const ofRun =
  (which: 'waiting' | 'completed' | 'failed', search = '') =>
  (data: ScreenData) =>
    `/runs/${data[which]}${search}`
const at = (path: string) => () => path

const agentTabs: [string, string | RegExp][] = [
  ['builds', 'Compared with'],
  ['schedules', 'Every day at 02:15'],
  ['memory&file=policy.md', 'Policy'],
  ['rubrics', 'Ended by itself'],
  ['triggers', 'Each case of this queue starts a run.'],
  ['runs', 'Took'],
]

const runTabs: [string, string | RegExp][] = [
  ['messages', 'Message to the run'],
  ['report', /^Completed after/],
  ['evaluation', /checks|evaluat/i],
  ['events', 'run.completed'],
  ['files', 'address.json'],
  ['files&file=/workspace/address.json', 'Long Lane 4'],
  ['compare', 'Compare with another run'],
  ['raw', '"run_number"'],
]

export const everyScreen: Screen[] = [
  { name: 'overview', path: at('/'), seen: 'Next starts', isMain: true },
  { name: 'runs', path: at('/runs'), seen: 'Address checker', isMain: true },
  { name: 'a run that waits', path: ofRun('waiting'), seen: 'http_request', isMain: true },
  { name: 'a step', path: ofRun('waiting', '?step=1'), seen: 'Result recorded', isMain: true },
  { name: 'a run that failed', path: ofRun('failed'), seen: 'output_invalid' },
  { name: 'a run that completed', path: ofRun('completed'), seen: 'is_known' },
  ...['arguments', 'result', 'raw'].map((detail) => ({
    name: `a step, ${detail}`,
    path: ofRun('completed', `?step=1&detail=${detail}`),
    seen: '"path"',
  })),
  ...runTabs.map(([tab, seen]) => ({
    name: `a run, ${tab}`,
    path: ofRun('completed', `?tab=${tab}`),
    seen,
    isMain: tab === 'events' || tab === 'report',
  })),
  { name: 'inbox', path: at('/inbox'), seen: 'Details of a new packaging supplier', isMain: true },
  ...(['approval', 'form', 'question', 'login'] as const).map((kind) => ({
    name: `inbox, ${kind}`,
    path: ({ requests }: ScreenData) => `/inbox?request=${requests[kind]}`,
    seen: 'Asked by',
    isMain: kind === 'approval',
  })),
  ...['mine', 'later', 'done'].map((list) => ({
    name: `inbox, ${list}`,
    path: at(`/inbox?list=${list}`),
    seen: /^Nothing|^No /,
  })),
  { name: 'agents', path: at('/agents'), seen: 'Refund desk', isMain: true },
  { name: 'an agent', path: ofAgent(''), seen: 'Save as build', isMain: true },
  ...['view=rendered', 'view=beside', 'panel=builder', 'panel=settings'].map((search) => ({
    name: `an agent, ${search}`,
    path: ofAgent(`?${search}`),
    seen: 'Save as build',
  })),
  ...agentTabs.map(([tab, seen]) => ({ name: `an agent, ${tab}`, path: ofAgent(`?tab=${tab}`), seen })),
  { name: 'members', path: at('/people'), seen: 'Add a member', isMain: true },
  { name: 'sessions', path: at('/people?tab=sessions'), seen: 'this one' },
  { name: 'keys', path: at('/people?tab=keys'), seen: /^(Make a key|You may not see this)$/ },
  { name: 'an address of nothing', path: at('/no/such/screen'), seen: 'There is nothing at this address' },
  // dialogs, menus and lists that open over a screen
  { name: 'palette', path: at('/'), seen: 'Next starts', act: type('Control+k'), isMain: true },
  { name: 'keys of the page', path: at('/'), seen: 'Next starts', act: type('?') },
  { name: 'account', path: at('/'), seen: 'Next starts', act: press(/settings and signing out/) },
  { name: 'start a run', path: at('/runs'), seen: 'Address checker', act: press('Start run'), isMain: true },
  {
    name: 'start a run, its form',
    path: at('/runs'),
    seen: 'Address checker',
    act: async (page) => {
      await press('Start run')(page)
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Address checker/ })
        .click()
      await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
    },
  },
  { name: 'copy as', path: at('/runs'), seen: 'Address checker', act: press('Copy as') },
  { name: 'filters of runs', path: at('/runs'), seen: 'Address checker', act: type('f') },
  { name: 'save a view', path: at('/runs?status=failed'), seen: 'Price watch', act: press('Save view') },
  { name: 'message to a run', path: ofRun('waiting'), seen: 'http_request', act: type('m') },
  { name: 'stop a run', path: ofRun('waiting'), seen: 'http_request', act: type('s') },
  { name: 'retry a run', path: ofRun('completed', '?step=1'), seen: 'Result recorded', act: press(/^Retry from/) },
  { name: 'save the evidence', path: ofRun('completed'), seen: 'is_known', act: choose('More', /^Save the evidence/) },
  { name: 'delete a run', path: ofRun('completed'), seen: 'is_known', act: choose('More', /^Delete the run/) },
  { name: 'assign a request', path: at('/inbox'), seen: 'Asked by', act: press(/^Assign/) },
  { name: 'put a request aside', path: at('/inbox'), seen: 'Asked by', act: press(/^Not now/) },
  { name: 'a new agent', path: at('/agents'), seen: 'Refund desk', act: press('New agent') },
  { name: 'name of an agent', path: ofAgent(''), seen: 'Save as build', act: choose('More', /^Name and/) },
  { name: 'copy of an agent', path: ofAgent(''), seen: 'Save as build', act: choose('More', /^Duplicate/) },
  { name: 'delete an agent', path: ofAgent(''), seen: 'Save as build', act: choose('More', /^Delete/) },
  { name: 'save a build', path: ofAgent(''), seen: 'Save as build', act: press('Save as build') },
  {
    name: 'a new schedule',
    path: ofAgent('?tab=schedules'),
    seen: 'Every day at 02:15',
    act: press('New schedule'),
  },
  { name: 'a new rubric', path: ofAgent('?tab=rubrics'), seen: 'Ended by itself', act: press('New rubric') },
  { name: 'a new file', path: ofAgent('?tab=memory'), seen: 'policy.md', act: press('New file') },
  { name: 'change a trigger', path: ofAgent('?tab=triggers'), seen: 'Returns', act: press(/^Change/) },
  { name: 'a new member', path: at('/people'), seen: 'Add a member', act: press('Add a member') },
  { name: 'an invitation', path: at('/people'), seen: 'Add a member', act: press('Invite') },
  { name: 'remove a member', path: at('/people'), seen: 'Add a member', act: press('Remove') },
  { name: 'a new key', path: at('/people?tab=keys'), seen: 'Make a key', act: press('Make a key') },
]

/** Opens it in a window that is signed in, and waits until it is drawn. */
export async function showScreen(page: Page, baseUrl: string, screen: Screen, data: ScreenData): Promise<void> {
  await page.goto(`${baseUrl}${screen.path(data)}`)
  await page.getByText(screen.seen).filter({ visible: true }).first().waitFor()
  await page.locator('[aria-busy=true]').filter({ visible: true }).first().waitFor({ state: 'detached' })
  await screen.act?.(page)
}
