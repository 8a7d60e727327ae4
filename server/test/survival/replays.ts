// Proof: recorded runs are replayed once each, whoever is killed, without a call outside, exactly where nothing changed and with every change that was planted.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeAnswer, FakeProvider, FakeRequest } from '../fakes/fakeProvider.ts'
import { startFakeOpenaiCompatible } from '../fakes/openaiCompatible.ts'
import type { Proof } from './proof.ts'
import { activeRuns, block, bodyOf, openYard, processIdOf, until, untilQuiet, type Yard } from './yard.ts'

export interface ReplayedRuns {
  recorded: number
  /** Of those with a model and without. */
  replayedModel: number
  replayedRunbook: number
  kills: number
  /** Kills of a worker that held a run of a replay. */
  killsBetween: number
  /** Must be 0: calls outside, and runs, events and requests that the replays made. */
  callsOutside: number
  effects: number
  /** Of builds that did not change: must be as many as were replayed. */
  same: number
  /** Of builds with a planted change: reported with that change, and not. The latter must be 0. */
  plantedFound: number
  plantedMissed: number
  /** Results of one run in one replay more than once: must be 0. */
  twice: number
  /** Model calls that were in doubt, as the replays say, and how often the model was asked beyond what was needed. */
  unsettled: number
  askedAgain: number
}

interface Options {
  runbookRuns: number
  modelRuns: number
  kills: number
}

const callBlock = (yard: Yard, path: string): string => block('http id=order', `GET ${yard.counter.url}/ms/1${path}`)
const output = block('output', '{"number": "{{ message }}", "status": {{ steps.order.status }}, "run": "{{ run.id }}"}')
const model = { models: { agent: { model: 'openai-compatible:local' } } }

/** Looks up the order once and says its number; a procedure that says so makes it look up another one. */
export async function startReplayModel(pauseMs: () => number): Promise<FakeProvider> {
  const fake = await startFakeOpenaiCompatible()
  const speak = ({ body }: FakeRequest): FakeAnswer => {
    fake.answer(speak)
    const text = JSON.stringify(body.messages)
    const number = /order-(\d+)/.exec(text)?.[1] ?? '0'
    const [, url = ''] = /URL (http[^\s"\\<]+)/.exec(text) ?? []
    const hold = sleep(pauseMs())
    if ((body.messages as { role: string }[]).some(({ role }) => role === 'tool'))
      return { text: [`Order ${number}`, ' is fine.'], hold }
    return {
      text: ['I', ' look.'],
      hold,
      calls: [{ name: 'http_request', arguments: { method: 'GET', url: `${url}/${number}` } }],
    }
  }
  fake.answer(speak)
  return fake
}

export const replayEnv = ({ url }: FakeProvider): Record<string, string> => ({ OPENAI_COMPATIBLE_URL: url })

const effectsIn = async ({ sql }: Yard): Promise<number> => {
  const [row] = await sql<{ made: string }>`
    select (select count(*) from runs) + (select count(*) from events) + (select count(*) from human_requests)
      + (select count(*) from run_steps) as made`
  return Number(row!.made)
}

export async function killWorkersOfReplays(
  yard: Yard,
  provider: FakeProvider,
  options: Options,
): Promise<ReplayedRuns> {
  const { runbookRuns, modelRuns } = options
  const runbook = callBlock(yard, '/orders/{{ message }}') + output
  const prose = `Look up the order at URL ${yard.counter.url}/ms/1/orders and say whether it is fine.`
  const runbookAgent = await yard.newAgent(runbook, {}, 'Runbook')
  const modelAgent = await yard.newAgent(prose, model, 'Model')
  await startMany(yard, runbookAgent, runbookRuns)
  await startMany(yard, modelAgent, modelRuns)
  if ((await untilQuiet(yard)) > 0) throw new Error(`${await activeRuns(yard)} runs did not end`)
  const sets = {
    runbook: await setOf(yard, runbookAgent, runbookRuns),
    model: await setOf(yard, modelAgent, modelRuns),
  }
  const changed = {
    runbook: await draft(yard, runbookAgent, runbook.replace('/orders/', '/other/')),
    model: await draft(yard, modelAgent, prose.replace('/orders', '/other'), model),
  }
  const calls = (await yard.counter.arrivals()).length
  const before = await effectsIn(yard)
  const asked = provider.requests.length

  const plain = [await replay(yard, sets.runbook), await replay(yard, sets.model)]
  const killing = await killWhile(yard, options.kills)
  await Promise.all(plain.map((id) => ended(yard, id)))
  const modelAsked = provider.requests.length - asked
  const planted = [await replay(yard, sets.runbook, changed.runbook), await replay(yard, sets.model, changed.model)]
  await Promise.all(planted.map((id) => ended(yard, id)))

  const [same] = await yard.sql<{ same: string; runbook: string; unsettled: string; twice: string }>`
    select sum(runs_same) as same, sum(runs_same + runs_changed + runs_not_replayed) filter (where id = ${plain[0]}) as runbook,
      sum(unsettled_calls) as unsettled, (select count(*) from (
        select replay_id, run_id from replay_runs group by 1, 2 having count(*) > 1) twins) as twice
    from replays where id = any(${plain}::uuid[])`
  const [found] = await yard.sql<{ found: string; missed: string }>`
    select count(*) filter (where is_found) as found, count(*) filter (where not is_found) as missed from (
      select coalesce(report -> 'findings' @> '[{"kind": "unmatched_call"}, {"kind": "call_not_made"}]', false) as is_found
      from replay_runs where replay_id = any(${planted}::uuid[])) one`
  return {
    recorded: runbookRuns + modelRuns,
    replayedModel: modelRuns,
    replayedRunbook: Number(same!.runbook),
    ...killing,
    callsOutside: (await yard.counter.arrivals()).length - calls,
    effects: (await effectsIn(yard)) - before,
    same: Number(same!.same),
    plantedFound: Number(found!.found),
    plantedMissed: Number(found!.missed),
    twice: Number(same!.twice),
    unsettled: Number(same!.unsettled),
    askedAgain: modelAsked - 2 * modelRuns,
  }
}

async function startMany(yard: Yard, agentId: string, count: number): Promise<void> {
  for (let begun = 0; begun < count; begun += 25) {
    const some = Array.from({ length: Math.min(25, count - begun) }, (_, at) => `order-${begun + at + 1}`)
    await Promise.all(some.map((message) => yard.startRun(agentId, message)))
  }
}

async function setOf(yard: Yard, agentId: string, last: number): Promise<string> {
  const path = `/v2/agents/${agentId}/replay-sets`
  const id = bodyOf(await yard.call({ method: 'POST', path, body: { name: 'All' } }))['replay_set_id'] as string
  const added = bodyOf(await yard.call({ method: 'POST', path: `/v2/replay-sets/${id}/recordings`, body: { last } }))
  if (added['added'] !== last) throw new Error(`not all runs were recorded: ${JSON.stringify(added)}`)
  return id
}

async function draft(yard: Yard, agentId: string, input: string, data: object = {}): Promise<string> {
  const config = { version: 'v2', data: { input, plugins: ['http', 'human', 'sandbox'], ...data } }
  const made = await yard.call({ method: 'POST', path: `/v2/agents/${agentId}/revisions`, body: { config } })
  return bodyOf(made)['build_id'] as string
}

async function replay(yard: Yard, setId: string, build_id?: string): Promise<string> {
  const body = build_id === undefined ? {} : { build_id }
  const started = await yard.call({ method: 'POST', path: `/v2/replay-sets/${setId}/replays`, body })
  return bodyOf(started)['replay_id'] as string
}

const ended = (yard: Yard, id: string) =>
  until(
    'a replay ends',
    async () => (await yard.sql<{ state: string }>`select state from replays where id = ${id}`)[0]!.state,
    (state) => state !== 'running',
    { forMs: 600_000 },
  )

/** Kills workers that hold a run of a replay, one after another; another one starts in the place of each. */
async function killWhile(yard: Yard, kills: number): Promise<Pick<ReplayedRuns, 'kills' | 'killsBetween'>> {
  const seen = { kills: 0, killsBetween: 0 }
  const busy = async () => {
    const held = await yard.sql<{ pid: number }>`
      select p.pid from replay_runs h join processes p on p.id = h.worker
      where h.state = 'pending' and h.claim is not null and h.reserved_model is not null order by random() limit 1`
    return yard.workers.find(({ pid }) => held.some((one) => one.pid === pid))
  }
  while (seen.kills < kills) {
    const victim = await until('a worker asks a model', busy, (worker) => worker !== undefined, { everyMs: 5 })
    const workerId = await processIdOf(yard, victim!)
    victim!.child.kill('SIGKILL')
    yard.workers.splice(yard.workers.indexOf(victim!), 1)
    const held = await yard.sql`select id from replay_runs where worker = ${workerId} and state = 'pending'`
    seen.kills += 1
    if (held.length > 0) seen.killsBetween += 1
    yard.workers.push(await yard.startWorker())
  }
  return seen
}

export const holdsForReplays = (seen: ReplayedRuns): boolean =>
  seen.callsOutside + seen.effects + seen.plantedMissed + seen.twice === 0 &&
  seen.same === seen.recorded &&
  seen.plantedFound === seen.recorded &&
  seen.killsBetween > 0 &&
  seen.askedAgain <= seen.unsettled

export const replayProof: Proof = {
  name: '500 recorded runs replayed, 200 of them with a model, 5 kills',
  must: '0 calls outside, every unchanged run the same, every planted change reported, each run once',
  async run(dataDir) {
    const provider = await startReplayModel(() => 20 + Math.random() * 100)
    const env = { LOG_LEVEL: 'error', ...replayEnv(provider) }
    const yard = await openYard({ options: { dataDir, env }, workers: 2 })
    try {
      const counts = await killWorkersOfReplays(yard, provider, { runbookRuns: 300, modelRuns: 200, kills: 5 })
      return { counts, holds: holdsForReplays(counts) && counts.kills === 5 }
    } finally {
      await yard.close()
      await provider.close()
    }
  },
}
