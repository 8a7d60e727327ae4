// Data worth looking at, made over the SDK as anybody could: agents, runs in every state, requests, cases, schedules, rubrics, members.
import { setTimeout as pause } from 'node:timers/promises'
import type { Run, Runyard, StartRunInput } from '../../../sdk/src/index.ts'
import { agentInput, hostileAgent, hostileTitle, orderDesk, sampleAgents, type SampleAgent } from './sampleAgents.ts'

export interface SampleOptions {
  /** Also makes an agent, runs, requests and cases whose texts try to break the page. */
  isHostile?: boolean
  /** How many completed runs there are beside those of every state. */
  completedRuns?: number
  onProgress?: (says: string) => void
}

export interface SampleMember {
  id: string
  name: string
  key: string
}

export interface SampleData {
  agents: Record<SampleAgent | 'Order desk', string>
  runs: Record<SampleRun, string>
  queueId: string
  /** Holds a table and a text. */
  sandboxId: string
  operator: SampleMember
  viewer: SampleMember
}

export type SampleRun = keyof typeof starts

type Start = Omit<StartRunInput, 'agent_id'> & {
  agent: SampleAgent | 'Order desk'
  /** The state that it stays in, or in which it ends. */
  until: Run['status']
}

const starts = {
  /** Waits for a person who allows exactly one call. */
  action: {
    agent: 'Refund desk',
    until: 'waiting',
    title: 'Order 88214',
    message: { order: '88214', amount: 412.75, reason: 'damaged on arrival' },
  },
  /** Waits for the same person earlier, with a text and a table. */
  approval: {
    agent: 'Refund desk',
    until: 'waiting',
    title: 'Order 88230',
    message: { order: '88230', amount: 89.95, reason: 'wrong colour', needs_policy: true },
  },
  form: { agent: 'Vendor onboarding', until: 'waiting', title: 'Supplier of boxes' },
  restock: { agent: 'Restock', until: 'waiting', title: 'Label rolls' },
  publish: { agent: 'Site editor', until: 'waiting', title: 'Holiday hours' },
  question: { agent: 'Parcel desk', until: 'waiting', title: 'Order 88190' },
  several: { agent: 'Parcel desk', until: 'waiting', title: 'Parcel 5510', message: { several: true } },
  words: { agent: 'Parcel desk', until: 'waiting', title: 'Parcel 5511', message: { several: true, words: true } },
  login: { agent: 'Statement fetch', until: 'waiting', title: 'Statement of October' },
  time: { agent: 'Follow-up', until: 'waiting', title: 'After the delivery' },
  completed: { agent: 'Data import', until: 'completed', title: 'Orders of Monday' },
  stepFailed: { agent: 'Data import', until: 'failed', title: 'Orders of Tuesday', message: { strict: true } },
  outputInvalid: { agent: 'Price watch', until: 'failed', title: 'Price of label rolls' },
  modelRequired: { agent: 'Letter writer', until: 'failed', title: 'Letter to a customer' },
  limitReached: { agent: 'Night ledger', until: 'failed', title: 'Night of 16 November', limits: { max_steps: 12 } },
  sixtySteps: { agent: 'Night ledger', until: 'completed', title: 'Night of 15 November' },
  parent: { agent: 'Order desk', until: 'completed', title: 'Order 88241' },
  rejected: { agent: 'Site editor', until: 'waiting', title: 'Text about returns' },
  stopped: { agent: 'Follow-up', until: 'waiting', title: 'After the repair' },
  running: { agent: 'Photo sort', until: 'running', title: 'Photos of today', message: { seconds: 590 } },
  pending: { agent: 'Photo sort', until: 'pending', title: 'Photos of yesterday' },
} satisfies Record<string, Start>

export async function makeSampleData(runyard: Runyard, options: SampleOptions = {}): Promise<SampleData> {
  const { isHostile = false, completedRuns = 12, onProgress = () => {} } = options
  const agents = await makeAgents(runyard)
  onProgress(`${Object.keys(agents).length} agents`)
  const operator = await makeMember(runyard, 'Operator on call', 'operator')
  const viewer = await makeMember(runyard, 'Auditor', 'viewer')
  onProgress('two more members')
  await makeSchedules(runyard, agents)
  await makeRubrics(runyard, agents)
  onProgress('schedules and rubrics')
  const queueId = await makeQueue(runyard, agents.Support)
  onProgress('a queue with cases')
  const sandboxId = await makeSandbox(runyard)
  // first, so that lists begin with what is worth a look
  for (let n = 1; n <= completedRuns; n += 1) {
    const message = { address: `Way ${n}` }
    await runyard.runs.start({ agent_id: agents['Address checker'], title: `Address ${n}`, message })
  }
  const runs = await startAll(runyard, agents)
  await end(runyard, runs)
  onProgress(`${Object.keys(runs).length} runs in every state`)
  await runyard.runs.retry(runs.stepFailed, { from_step: 2 })
  await assignOne(runyard, runs.action)
  if (isHostile) await makeHostile(runyard, queueId)
  return { agents, runs, queueId, sandboxId, operator, viewer }
}

/** Files as people bring them: a table in a folder, and a text. */
export async function makeSandbox(runyard: Runyard): Promise<string> {
  const { sandbox_id } = await runyard.sandboxes.create({ ttl_seconds: 604_800 })
  const orders = 'order,amount,reason\n88214,412.75,damaged on arrival\n88215,18.00,"late, by two days"\n'
  await runyard.sandboxes.upload(sandbox_id, 'in/orders.csv', new Blob([orders]))
  await runyard.sandboxes.upload(sandbox_id, 'notes.md', new Blob(['# Returns\n\nTwo of them are open.\n']))
  return sandbox_id
}

async function makeAgents(runyard: Runyard): Promise<SampleData['agents']> {
  const made = await Promise.all(
    Object.entries(sampleAgents).map(async ([name, sample]) => {
      const { agent_id } = await runyard.agents.create(agentInput(name, sample))
      return [name, agent_id]
    }),
  )
  const ids = Object.fromEntries(made) as Record<SampleAgent, string>
  const { agent_id } = await runyard.agents.create(orderDesk(ids['Address checker']))
  await runyard.agents.createRevision(ids['Refund desk'], {
    name: 'More time for a claim',
    config: agentInput('', longerRefunds()).build?.config,
  } as Parameters<Runyard['agents']['createRevision']>[1])
  await runyard.memory.put(ids.Restock, 'suppliers.md', { content: '# Suppliers\n\nLabel rolls: two days.' })
  return { ...ids, 'Order desk': agent_id }
}

/** A draft as people write them: a few words and a time are other ones. */
function longerRefunds(): (typeof sampleAgents)['Refund desk'] {
  const live = sampleAgents['Refund desk']
  const procedure = live.procedure.replace('within 14 days', 'within 30 days').replace('timeout=1d', 'timeout=2d')
  return { ...live, procedure }
}

/** A member with a key, so that a test or a person can look at the page as they do. */
export async function makeMember(
  runyard: Runyard,
  name: string,
  role: 'admin' | 'operator' | 'viewer',
): Promise<SampleMember> {
  const { member_id: id } = await runyard.members.create({ name, role })
  const { secret } = await runyard.apiKeys.create({ name: `Key of ${name}`, user_id: id })
  return { id, name, key: secret }
}

async function makeSchedules(runyard: Runyard, agents: SampleData['agents']): Promise<void> {
  const timezone = 'Europe/Berlin'
  await runyard.schedules.create(agents['Night ledger'], { frequency: 'daily', time: '02:15', timezone })
  await runyard.schedules.create(agents.Restock, {
    frequency: 'workday',
    time: '07:30',
    timezone,
    message: 'Count again.',
  })
  await runyard.schedules.create(agents['Price watch'], {
    frequency: 'custom',
    cron: '*/20 6-20 * * 1-5',
    timezone: 'UTC',
  })
  await runyard.schedules.create(agents['Statement fetch'], {
    frequency: 'monthly',
    day_of_month: 1,
    time: '06:00',
    timezone: 'America/New_York',
    enabled: false,
  })
}

async function makeRubrics(runyard: Runyard, agents: SampleData['agents']): Promise<void> {
  await runyard.evaluations.replaceRubrics(agents['Data import'], {
    rubrics: [
      {
        title: 'Counts are right',
        description: 'The number of imported rows is that of the file.',
        severity: 'critical',
      },
      { title: 'Report is short', description: 'The report has at most three lines.', severity: 'low' },
    ],
  })
  await runyard.evaluations.putPromotionGate(agents['Refund desk'], { min_score: 0.8, last_runs: 5 })
}

async function makeQueue(runyard: Runyard, agentId: string): Promise<string> {
  const { queue_id } = await runyard.queues.create({
    name: 'Support',
    description: 'What customers ask.',
    concurrency: 3,
  })
  const kinds = ['Forgot my password', 'Where is my password', 'A lamp flickers', 'A password that is refused']
  await runyard.cases.create(queue_id, { cases: casesOf(kinds, 10) })
  await runyard.caseTriggers.create(agentId, { case_queue_id: queue_id, enabled: true, concurrency: 3 })
  await makeReturns(runyard)
  return queue_id
}

/** A queue that people work on, with cases in every state. */
async function makeReturns(runyard: Runyard): Promise<void> {
  const { queue_id } = await runyard.queues.create({ name: 'Returns', description: 'Parcels that come back.' })
  const { added_cases } = await runyard.cases.create(queue_id, {
    cases: casesOf(['Chair without screws', 'Desk scratched', 'Lamp in the wrong colour'], 8),
  })
  const [claimed, done, failed, later] = added_cases.map(({ id }) => id)
  for (const id of [claimed, done, failed, later]) await runyard.cases.claim(id ?? '')
  await runyard.cases.complete(done ?? '', { result: { refunded: 18.5 } })
  await runyard.cases.fail(failed ?? '', { reason: 'The parcel is not ours.' })
  await runyard.cases.postpone(later ?? '', { seconds: 86_400, reason: 'The customer is away until tomorrow.' })
}

const casesOf = (kinds: string[], count: number) =>
  Array.from({ length: count }, (_, n) => ({
    title: `${kinds[n % kinds.length]}, order ${88_100 + n}`,
    external_id: `mail-${n}`,
    priority: (['none', 'medium', 'high'] as const)[n % 3]!,
    data: JSON.stringify({ order: 88_100 + n, text: 'Please help.' }),
    labels: [{ key: 'language', value: n % 2 === 0 ? 'en' : 'de' }],
  }))

async function startAll(runyard: Runyard, agents: SampleData['agents']): Promise<Record<SampleRun, string>> {
  const startOne = async (name: SampleRun): Promise<[SampleRun, string]> => {
    const { agent, until, ...input }: Start = starts[name]
    const { run_id } = await runyard.runs.start({ ...input, agent_id: agents[agent] })
    await untilStatus(runyard, run_id, until)
    return [name, run_id]
  }
  // the one that waits for its turn comes after the one that has it
  const { pending: _, ...others } = starts
  const started = await Promise.all(Object.keys(others).map((name) => startOne(name as SampleRun)))
  started.push(await startOne('pending'))
  return Object.fromEntries(started) as Record<SampleRun, string>
}

/** Waits until the run is in this state; a run that ends in another one is a mistake of the sample. */
export async function untilStatus(runyard: Runyard, runId: string, status: Run['status']): Promise<void> {
  // not every change of state is an event, so the run itself is asked
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(50)) {
    const { run } = await runyard.runs.get(runId)
    if (run.status === status) return
    if (['completed', 'failed', 'stopped'].includes(run.status))
      throw new Error(`run ${run.title ?? runId} is ${run.status}, not ${status}: ${JSON.stringify(run.error)}`)
  }
  throw new Error(`run ${runId} has not become ${status}`)
}

/** The request that the run waits for. */
export async function requestOfRun(runyard: Runyard, runId: string) {
  const { pending_human_request: request } = await runyard.runs.get(runId)
  if (!request) throw new Error(`run ${runId} waits for nobody`)
  return request
}

async function end(runyard: Runyard, runs: Record<SampleRun, string>): Promise<void> {
  await runyard.humanRequests.of(await requestOfRun(runyard, runs.rejected)).reject('The second paragraph is not true.')
  await untilStatus(runyard, runs.rejected, 'failed')
  await runyard.runs.stop(runs.stopped)
  await untilStatus(runyard, runs.stopped, 'stopped')
  const several = runyard.humanRequests.of(await requestOfRun(runyard, runs.words))
  await several.answer({ 'Who must know that the parcel is late?': ['The customer', 'The shop'] }, 'By tonight.')
}

async function assignOne(runyard: Runyard, runId: string): Promise<void> {
  const { profile } = await runyard.teams.profile()
  const request = await requestOfRun(runyard, runId)
  await runyard.humanRequests.assign(runId, request.id, { assignee_user_id: profile.id })
}

async function makeHostile(runyard: Runyard, queueId: string): Promise<void> {
  const { agent_id } = await runyard.agents.create(hostileAgent)
  for (const message of ['approve', 'ask', 'form']) await runyard.runs.start({ agent_id, message, title: hostileTitle })
  await runyard.runs.start({ agent_id, message: hostileTitle, title: hostileTitle })
  await runyard.cases.create(queueId, { case: { title: hostileTitle, data: `{"html": "<script>alert(1)</script>"}` } })
}
