// Every screen, tab and dialog of the console, each with what a person sees when it is drawn, for proofs that hold everywhere.
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Runyard } from '../../../sdk/src/index.ts'
import { isLongForm } from '../../../server/test/kit/longForm.ts'
import { agentInput, sampleAgents, type SampleAgent } from './sampleAgents.ts'
import { makeSampleBuilder, type SampleBuilder } from './sampleBuilder.ts'
import { makeSampleLongWork } from './sampleLongWork.ts'
import { makeSandbox, requestOfRun, untilStatus } from './sampleData.ts'
import { makeSampleQueue, type SampleQueue } from './sampleQueues.ts'
import { makeOutside, type Outside } from './sampleOutside.ts'

export interface ScreenData {
  /** Has builds, a schedule, rubrics, a gate, memory and a trigger. */
  agent: string
  /** Waits for a person who allows one call. */
  waiting: string
  completed: string
  failed: string
  /** Holds a table and a text in a folder. */
  sandbox: string
  /** Its only run is evaluated and marked. */
  checker: string
  /** With two revisions of its page. */
  artifact: string
  /** Asks which page it shall be. */
  askingArtifact: string
  /** One request of each type. */
  requests: Record<'approval' | 'form' | 'question' | 'login', string>
  queue: SampleQueue
  outside: Outside
  /** Only in the long form, which alone looks at them. */
  builder: SampleBuilder
  /** A run with calls side by side and folded turns; only in the long form. */
  longWork: string
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

/** What runs are given, one of each. */
async function makeGiven(sdk: Runyard): Promise<void> {
  await sdk.secrets.create({ name: 'crm', values: { CRM_TOKEN: 'sample-0123456789' } })
  await sdk.logins.create({ domain: 'shop.example.com', username: 'orders@example.com', password: 'sample-9876543210' })
  const head = '---\nname: monthly-report\ndescription: Writes the monthly report from the figures of the queue.\n---\n'
  await sdk.skills.create({ content: `${head}Read the figures.\n` })
  await sdk.teamFiles.upload('reference/prices.csv', new TextEncoder().encode('item,price\npaper,4.20\n'))
}

/** A little of everything, made over the SDK; what only a model would do is written into the database. */
export async function makeScreenData(sdk: Runyard, servers: Outside['servers'], database: string): Promise<ScreenData> {
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
  const sandbox = await makeSandbox(sdk)
  await sdk.oauthClients.create({ name: 'billing system', scopes: ['runs:read'] })
  const queue = await makeSampleQueue(sdk)
  const [artifact, askingArtifact] = await Promise.all([makeArtifact(sdk), makeAskingArtifact(sdk)])
  const outside = await makeOutside(sdk, servers)
  await makeGiven(sdk)
  const builder = isLongForm ? await makeSampleBuilder(sdk, database) : { asks: '', proposes: '' }
  const longWork = isLongForm ? await makeSampleLongWork(sdk, database) : ''
  await untilEvaluated(sdk, checker, completed)
  await sdk.evaluations.mark(completed, { verdict: 'bad', note: 'The address is in another town.' })
  const idOf = async (runId: string): Promise<string> => (await requestOfRun(sdk, runId)).id
  return {
    agent,
    waiting,
    completed,
    failed,
    sandbox,
    checker,
    artifact,
    askingArtifact,
    requests: {
      approval: await idOf(waiting),
      form: await idOf(asksForm),
      question: await idOf(asks),
      login: await idOf(asksLogin),
    },
    queue,
    outside,
    builder,
    longWork,
  }
}

const fenced = (info: string, body: string): string => `\`\`\`${info}\n${body}\n\`\`\``

/** A page by hand, whose steps need no model. */
export const pageOfRuns = (title: string): string =>
  [
    `# ${title}`,
    fenced('tool name=operations_runs id=runs', '{"by": "day", "last": "7d"}'),
    fenced(
      'html',
      `<h2>${title}</h2>\n<big-number value="{{ data.runs.totals.runs }}" label="Runs"></big-number>\n<bar-chart title="Runs by day" rows="{{ data.runs.rows }}" x="day" y="completed, failed"></bar-chart>`,
    ),
  ].join('\n\n')

export async function untilPage(sdk: Runyard, id: string, version: number): Promise<void> {
  for (;;) {
    const { artifact } = await sdk.artifacts.get(id)
    if (artifact.status === 'completed' && artifact.current_version === version) return
    if (artifact.status === 'failed') throw new Error(`the page of ${artifact.title} could not be made`)
    await pause(100)
  }
}

/** Waits for a question of an artifact, after the one that is named; returns its `tool_call_id`. */
export async function untilAsked(sdk: Runyard, id: string, after?: string): Promise<string> {
  for (;;) {
    const { pending_question } = (await sdk.artifacts.get(id)).artifact
    if (pending_question && pending_question.tool_call_id !== after) return pending_question.tool_call_id
    await pause(100)
  }
}

export async function untilEvaluated(sdk: Runyard, agentId: string, runId: string): Promise<void> {
  while ((await sdk.evaluations.get(agentId, runId)).data?.status !== 'ready') await pause(100)
}

async function makeArtifact(sdk: Runyard): Promise<string> {
  const { artifact_id } = await sdk.artifacts.create({ message: pageOfRuns('The last seven days') })
  await untilPage(sdk, artifact_id, 1)
  await sdk.artifacts.sendMessage(artifact_id, { message: pageOfRuns('Seven days of runs') })
  await untilPage(sdk, artifact_id, 2)
  await sdk.artifacts.publish(artifact_id, { visibility: 'team', permission: 'view' })
  return artifact_id
}

async function makeAskingArtifact(sdk: Runyard): Promise<string> {
  const { artifact_id } = await sdk.artifacts.create({ message: 'How old are our cases?', title: 'Ages' })
  await untilAsked(sdk, artifact_id)
  await sdk.artifacts.publish(artifact_id, { visibility: 'team', permission: 'edit' })
  return artifact_id
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
    bringWebhook(sdk, agent),
  ])
}

/** One that the filter keeps out, so that it starts no run. */
async function bringWebhook(sdk: Runyard, agent: string): Promise<void> {
  const filter = 'body.kind == "return"'
  const { trigger } = await sdk.triggers.create(agent, { kind: 'webhook', name: 'Returns by mail order', filter })
  const body = JSON.stringify({ kind: 'letter', number: 4711 })
  await fetch(trigger.webhook?.url ?? '', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
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
const ofSandbox =
  (search = '') =>
  ({ sandbox }: ScreenData) =>
    `/sandboxes/${sandbox}${search}`
const ofConnection =
  (which: 'billing' | 'crm' | 'wiki', search = '') =>
  ({ outside }: ScreenData) =>
    `/connections/${outside[which]}${search}`
const at = (path: string) => () => path
const ofQueue =
  (search = '') =>
  ({ queue }: ScreenData) =>
    `/queues/${queue.queue}${search}`
const ofCase =
  (which: 'pending' | 'asked' | 'completed') =>
  ({ queue }: ScreenData) =>
    `/cases/${queue[which]}`
const ofArtifact =
  (search = '') =>
  ({ artifact }: ScreenData) =>
    `/artifacts/${artifact}${search}`

/** Who may not manage webhooks is told so. */
const manageSeen = (text: string): RegExp => new RegExp(`^(${text}|You may not see this)$`)

const openFirstEvent = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'connection.action_required' }).first().click()
  await page.getByText('event_id').first().waitFor()
}

const agentTabs: [string, string | RegExp][] = [
  ['builds', 'Compared with'],
  ['schedules', 'Every day at 02:15'],
  ['memory&file=policy.md', 'Policy'],
  ['rubrics', 'Ended by itself'],
  ['replays', 'No build was replayed yet'],
  ['suggestions', 'Nothing is suggested'],
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
  { name: 'a run with long work', path: ({ longWork }) => `/runs/${longWork}?step=16`, seen: 'What it made shorter' },
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
  { name: 'the builder asks', path: ({ builder }) => builder.asks, seen: 'Make one on another tab' },
  { name: 'the builder proposes', path: ({ builder }) => builder.proposes, seen: 'What would start runs' },
  ...agentTabs.map(([tab, seen]) => ({ name: `an agent, ${tab}`, path: ofAgent(`?tab=${tab}`), seen })),
  { name: 'artifacts', path: at('/artifacts?scope=team'), seen: 'The last seven days', isMain: true },
  { name: 'artifacts of others', path: at('/artifacts?scope=shared&search=nothing'), seen: /^No artifact has/ },
  { name: 'an artifact', path: ofArtifact(), seen: 'Select an element', isMain: true },
  { name: 'an artifact, revisions', path: ofArtifact('?panel=revisions'), seen: 'Revision 1' },
  { name: 'an artifact, data', path: ofArtifact('?panel=data'), seen: 'Template' },
  {
    name: 'an artifact that asks',
    path: ({ askingArtifact }) => `/artifacts/${askingArtifact}`,
    seen: 'Which page do you want?',
  },
  { name: 'evaluations', path: at('/evaluations'), seen: /^Agents$/, isMain: true },
  {
    name: 'evaluations of an agent',
    path: ({ checker }) => `/evaluations?agent=${checker}&span=7d`,
    seen: 'Do people agree?',
    isMain: true,
  },
  {
    name: 'evaluations of an agent, narrowed',
    path: ({ checker }) => `/evaluations?agent=${checker}&flag=limits_kept`,
    seen: 'No evaluated run fits.',
  },
  { name: 'alerts', path: at('/alerts'), seen: 'Nothing is wrong', isMain: true },
  { name: 'rules of alerts', path: at('/alerts?tab=rules'), seen: 'There are no rules' },
  { name: 'a new rule', path: at('/alerts?tab=rules&edit=new'), seen: 'What would it say now?' },
  { name: 'usage', path: at('/usage'), seen: 'By agent', isMain: true },
  { name: 'usage, runs of 90 days', path: at('/usage?period=90d&show=runs&agents=all'), seen: 'Runs by day' },
  { name: 'sandboxes', path: at('/sandboxes'), seen: 'All sandboxes', isMain: true },
  { name: 'sandboxes of runs', path: at('/sandboxes?of=runs'), seen: 'open the run' },
  { name: 'a sandbox', path: ofSandbox(), seen: 'notes.md', isMain: true },
  { name: 'a file of a sandbox', path: ofSandbox('?file=/workspace/in/orders.csv'), seen: 'late, by two days' },
  { name: 'commands of a sandbox', path: ofSandbox('?tab=commands'), seen: 'No command yet' },
  { name: 'queues', path: at('/queues'), seen: 'Refund claims', isMain: true },
  { name: 'a queue as a board', path: ofQueue(), seen: 'Claim 4710: damaged on arrival', isMain: true },
  { name: 'a queue as a table', path: ofQueue('?tab=table'), seen: 'Claim 4710: damaged on arrival' },
  { name: 'a queue, nothing fits', path: ofQueue('?tab=table&search=nothing'), seen: 'No case fits these filters' },
  { name: 'a queue, its work', path: ofQueue('?tab=work'), seen: 'Agents that take cases' },
  { name: 'a case', path: ofCase('pending'), seen: 'Timeline', isMain: true },
  { name: 'a case that waits', path: ofCase('asked'), seen: 'Open the request' },
  { name: 'a case that is completed', path: ofCase('completed'), seen: '"refunded"' },
  { name: 'connections', path: at('/connections'), seen: 'Our CRM', isMain: true },
  { name: 'connections, catalogue', path: at('/connections?tab=catalogue'), seen: 'MCP server' },
  { name: 'connections, refused', path: at('/connections?status=failed&error=access_denied'), seen: /Access was not/ },
  { name: 'secrets', path: at('/connections?tab=secrets'), seen: 'CRM_TOKEN' },
  {
    name: 'a new secret',
    path: at('/connections?tab=secrets&new=secret'),
    seen: /^(Add a variable|You may not see this)$/,
  },
  { name: 'logins', path: at('/connections?tab=logins'), seen: 'shop.example.com' },
  { name: 'a new login', path: at('/connections?tab=logins&new=login'), seen: 'Seed of its one-time codes' },
  { name: 'skills', path: at('/connections?tab=skills'), seen: 'monthly-report' },
  { name: 'a new skill', path: at('/connections?tab=skills&new=skill'), seen: 'Or the text of SKILL.md' },
  { name: 'team files', path: at('/connections?tab=files'), seen: 'reference/prices.csv' },
  { name: 'a new file', path: at('/connections?tab=files&new=file'), seen: 'Up to 1 GiB.' },
  { name: 'a connection', path: ofConnection('crm'), seen: 'Invoice 4711', isMain: true },
  { name: 'a connection with tools', path: ofConnection('wiki'), seen: 'delete_page' },
  {
    name: 'a tool that changed',
    path: ofConnection('wiki', '?tool=search_pages'),
    seen: 'Approved, and as its server lists it now',
  },
  { name: 'events', path: at('/events'), seen: 'connection.action_required', isMain: true },
  {
    name: 'events, open',
    path: at('/events?event=connection.action_required'),
    seen: 'connection.action_required',
    act: openFirstEvent,
  },
  { name: 'deliveries', path: at('/events?tab=deliveries'), seen: manageSeen('given up') },
  {
    name: 'a delivery',
    path: ({ outside }) => `/events?tab=deliveries&delivery=${outside.delivery}`,
    seen: manageSeen('What is sent'),
  },
  { name: 'receivers', path: at('/events?tab=receivers'), seen: manageSeen('Last accepted') },
  { name: 'notifications', path: at('/notifications'), seen: 'What you are notified of', isMain: true },
  { name: 'members', path: at('/people'), seen: 'Add a member', isMain: true },
  { name: 'sessions', path: at('/people?tab=sessions'), seen: 'this one' },
  { name: 'keys', path: at('/people?tab=keys'), seen: /^(Make a key|You may not see this)$/ },
  { name: 'OAuth clients', path: at('/people?tab=clients'), seen: /^(billing system|You may not see this)$/ },
  { name: 'models', path: at('/people?tab=models'), seen: /^(What agents may use|You may not see this)$/ },
  { name: 'guardrails', path: at('/people?tab=guardrails'), seen: 'Rules above all agents' },
  { name: 'MCP', path: at('/people?tab=mcp'), seen: 'Claude Desktop' },
  { name: 'audit log', path: at('/people?tab=audit'), seen: /newest first$|^You may not see this$/, isMain: true },
  { name: 'system', path: at('/system'), seen: /^Waiting work$|^You may not see this$/, isMain: true },
  { name: 'sizes of the system', path: at('/system?tab=sizes'), seen: /^Tables with|^You may not see this$/ },
  { name: 'settings of the system', path: at('/system?tab=settings'), seen: /^RUNYARD_MODEL$|^You may not see this$/ },
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
  {
    name: 'put a request aside',
    // the first of the list has a deadline that is too close for it
    path: ({ requests }) => `/inbox?request=${requests.approval}`,
    seen: 'Asked by',
    act: press(/^Not now/),
  },
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
  { name: 'record runs', path: ofAgent('?tab=replays'), seen: 'No build was replayed yet', act: press('Record runs') },
  { name: 'a new file', path: ofAgent('?tab=memory'), seen: 'policy.md', act: press('New file') },
  { name: 'change a case trigger', path: ofAgent('?tab=triggers'), seen: 'Returns', act: press(/^Change/) },
  { name: 'a new trigger', path: ofAgent('?tab=triggers'), seen: 'Returns by mail order', act: press('New trigger') },
  {
    name: 'deliveries of a trigger',
    path: ofAgent('?tab=triggers'),
    seen: 'Returns by mail order',
    act: async (page) => {
      await page.getByRole('button', { name: 'Returns by mail order', exact: true }).click()
      await page.getByText('filtered out', { exact: true }).last().waitFor()
    },
  },
  {
    name: 'a new artifact',
    path: at('/artifacts?scope=team'),
    seen: 'The last seven days',
    act: press('New artifact'),
  },
  { name: 'share an artifact', path: ofArtifact(), seen: 'Chat', act: press(/^Share/) },
  { name: 'export an artifact', path: ofArtifact(), seen: 'Chat', act: press('Export') },
  { name: 'title of an artifact', path: ofArtifact(), seen: 'Chat', act: choose('More', /^Title and/) },
  { name: 'delete an artifact', path: ofArtifact(), seen: 'Chat', act: choose('More', /^Delete/) },
  {
    name: 'scores as CSV',
    path: ({ checker }) => `/evaluations?agent=${checker}`,
    seen: 'Worst runs',
    act: press('CSV'),
  },
  { name: 'usage as CSV', path: at('/usage'), seen: 'By agent', act: press('CSV') },
  { name: 'a new sandbox', path: at('/sandboxes'), seen: 'All sandboxes', act: press(/^New sandbox/) },
  { name: 'delete a sandbox', path: ofSandbox(), seen: 'notes.md', act: press('Delete') },
  {
    name: 'delete a file',
    path: ofSandbox('?file=/workspace/notes.md'),
    seen: 'Two of them are open.',
    act: async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'Delete' }).click()
      await opened(page)
    },
  },
  { name: 'a new queue', path: at('/queues?new=true'), seen: 'Make the queue', act: opened },
  { name: 'delete a queue', path: ofQueue(), seen: 'Claim 4710', act: choose('More of this queue', /^Delete/) },
  { name: 'add a case', path: ofQueue(), seen: 'Claim 4710', act: press('Add case') },
  { name: 'import cases', path: ofQueue(), seen: 'Claim 4710', act: choose('More of this queue', /^Import/) },
  { name: 'move a case', path: ofQueue(), seen: 'Claim 4710', act: press(/^Actions of “Claim 4710/) },
  { name: 'fail a case', path: ofCase('pending'), seen: 'Timeline', act: choose(/^Actions of/, 'Fail…') },
  { name: 'postpone a case', path: ofCase('pending'), seen: 'Timeline', act: choose(/^Actions of/, 'Postpone…') },
  { name: 'assign a case', path: ofCase('pending'), seen: 'Timeline', act: choose(/^Actions of/, 'Assign…') },
  { name: 'labels of a case', path: ofCase('pending'), seen: 'Timeline', act: choose(/^Actions of/, 'Labels…') },
  {
    name: 'all cases',
    path: ofQueue(),
    seen: 'Claim 4710',
    act: choose(/^All that fit/, /^Complete all/),
    isMain: true,
  },
  { name: 'let an agent work', path: ofQueue('?tab=work'), seen: 'Labels', act: press('Let an agent work it') },
  { name: 'connect', path: at('/connections'), seen: 'Our CRM', act: press('Connect') },
  { name: 'a new MCP server', path: at('/connections?new=mcp'), seen: 'Connect an MCP server', act: opened },
  { name: 'a new API', path: at('/connections?new=api'), seen: 'Connect an API with a key', act: opened },
  { name: 'replace a key', path: ofConnection('billing'), seen: 'Invoice checker', act: press('Replace the key') },
  { name: 'remove a connection', path: ofConnection('crm'), seen: 'Invoice 4711', act: choose('More', /^Remove/) },
  { name: 'rename a connection', path: ofConnection('crm'), seen: 'Invoice 4711', act: choose('More', /^Rename/) },
  { name: 'resend deliveries', path: at('/events?tab=deliveries'), seen: 'given up', act: press('Resend failed') },
  { name: 'a new member', path: at('/people'), seen: 'Add a member', act: press('Add a member') },
  { name: 'an invitation', path: at('/people'), seen: 'Add a member', act: press('Invite') },
  { name: 'remove a member', path: at('/people'), seen: 'Add a member', act: press('Remove') },
  { name: 'a new OAuth client', path: at('/people?tab=clients'), seen: 'billing system', act: press('New client') },
  { name: 'remove an OAuth client', path: at('/people?tab=clients'), seen: 'billing system', act: press('Remove') },
  { name: 'a key for models', path: at('/people?tab=models'), seen: 'What agents may use', act: press('Give a key') },
  { name: 'a new key', path: at('/people?tab=keys'), seen: 'Make a key', act: press('Make a key') },
]

/** Opens it in a window that is signed in, and waits until it is drawn. */
export async function showScreen(page: Page, baseUrl: string, screen: Screen, data: ScreenData): Promise<void> {
  await page.goto(`${baseUrl}${screen.path(data)}`)
  await page.getByText(screen.seen).filter({ visible: true }).first().waitFor()
  await page.locator('[aria-busy=true]').filter({ visible: true }).first().waitFor({ state: 'detached' })
  await screen.act?.(page)
}
