// Proof: builder runs whose workers are killed at random moments all come to a rest, each once, and nothing of them is told twice.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeAnswer, FakeProvider, FakeRequest } from '../fakes/fakeProvider.ts'
import { startFakeOpenaiCompatible } from '../fakes/openaiCompatible.ts'
import type { Service } from './processes.ts'
import type { Proof } from './proof.ts'
import { bodyOf, openYard, processIdOf, until, type Yard } from './yard.ts'

export interface KilledBuilders {
  begun: number
  /** Came to a proposal that could be accepted: must be all of them. */
  accepted: number
  failed: number
  /** Neither at rest nor ended: must be 0. */
  lost: number
  kills: number
  /** Kills of a worker that had a builder run in its hands. */
  killsBetween: number
  answered: number
  /** How often the model was asked, against how often it had to be: the difference is what the dead had heard and not written. */
  asked: number
  turns: number
  /** Seen at any moment; both must be 0. */
  buildsWithTwo: number
  linesToldTwice: number
}

interface Options {
  /** So many must find a builder run in the hands of the worker. */
  killsBetween: number
  /** So many are under way at any time, while there are workers to kill. */
  atOnce: number
  /** Between two kills, at most. */
  pauseMs?: number
}

export const question = 'Which mailbox is meant?'
const procedure = '# Mails\n\n## Goal\n\nEvery mail is answered.\n\n## Steps\n\n1. Read it.\n2. Answer it.\n'
const json = (value: object): string => JSON.stringify({ procedure: null, questions: [], ...value })

/** Four kinds of models, by the number in the wish: at once, with a word that is no JSON first, with a block that cannot run, with a question. */
const talks: string[][] = [
  [json({ procedure })],
  ['I think about it.', json({ procedure })],
  [json({ procedure: `${procedure}\n\`\`\`wait\nfor ever\n\`\`\`\n` }), json({ procedure })],
  [json({ questions: [{ question, header: null, options: [], multi_select: false }] }), json({ procedure })],
]

/** Says the same whenever it is asked the same, after up to half a second; once in twenty times it fails. */
export async function startBuilderModel(): Promise<FakeProvider> {
  const fake = await startFakeOpenaiCompatible()
  const speak = ({ body }: FakeRequest): FakeAnswer => {
    fake.answer(speak)
    if (Math.random() < 0.05) return { status: 500, error: { message: 'oh no' } }
    const messages = body.messages as { role: string }[]
    const talk = talks[Number(/wish-(\d+)/.exec(JSON.stringify(messages))![1]) % talks.length]!
    const text = talk[messages.filter(({ role }) => role === 'assistant').length]!
    return { text: [text.slice(0, 9), text.slice(9)], hold: sleep(Math.random() * 500) }
  }
  fake.answer(speak)
  return fake
}

export const builderEnv = ({ url }: FakeProvider): Record<string, string> => ({
  RUNYARD_MODEL: 'openai-compatible:local',
  OPENAI_COMPATIBLE_URL: url,
})

export async function killWorkersOfBuilders(
  yard: Yard,
  model: FakeProvider,
  options: Options,
): Promise<KilledBuilders> {
  const { sql } = yard
  const agentId = await yard.newAgent('Answer mails.')
  const { agent } = bodyOf(await yard.call({ path: `/v2/agents/${agentId}` })) as { agent: { live_build_id: string } }
  const seen = { begun: 0, accepted: 0, kills: 0, killsBetween: 0, answered: 0, buildsWithTwo: 0, linesToldTwice: 0 }
  const starts: Promise<unknown>[] = []
  const mayGoOn = () => seen.killsBetween < options.killsBetween

  /** Each on a draft of its own, which the service makes. */
  async function feed(): Promise<void> {
    while (mayGoOn()) {
      const room = options.atOnce - (await underWay(yard))
      for (let place = 0; place < room; place++) {
        const body = { prompt: `Answer mails politely, wish-${seen.begun}.` }
        bodyOf(await yard.call({ method: 'POST', path: `/v2/revisions/${agent.live_build_id}/generate`, body }))
        seen.begun += 1
      }
      await look()
      await sleep(50)
    }
  }

  async function kill(): Promise<void> {
    while (mayGoOn()) {
      await sleep(Math.random() * (options.pauseMs ?? 300))
      await until(
        'two workers live',
        async () => yard.workers.length,
        (count) => count > 1,
      )
      const victim = await choose(yard)
      yard.workers.splice(yard.workers.indexOf(victim), 1)
      starts.push(yard.startWorker().then((worker) => yard.workers.push(worker)))
      const workerId = await processIdOf(yard, victim)
      victim.child.kill('SIGKILL')
      const held = await sql`
        select j.id from graphile_worker.jobs j join processes p on p.job_pool_id = j.locked_by
        where p.id = ${workerId} and j.task_identifier = 'advanceBuilder'`
      seen.kills += 1
      if (held.length > 0) seen.killsBetween += 1
    }
  }

  /** A person: answers what is asked, takes what is proposed. */
  async function decide(): Promise<void> {
    const resting = await sql<{ id: string; build_id: string; status: string }>`
      select id, build_id, status from builder_runs where status in ('waiting', 'review') limit 20`
    for (const { id, build_id, status } of resting) {
      if (status === 'waiting') {
        const body = { answers: { [question]: 'That of support.' } }
        bodyOf(await yard.call({ method: 'POST', path: `/v2/builder-runs/${id}/resume`, body }))
        seen.answered += 1
      } else {
        bodyOf(
          await yard.call({ method: 'POST', path: `/v2/revisions/${build_id}/accept`, body: { builder_run_id: id } }),
        )
        seen.accepted += 1
      }
    }
  }

  async function look(): Promise<void> {
    await decide()
    const [wrong] = await sql<{ two: string; twice: string }>`
      select (select count(*) from (
          select build_id from builder_runs where status in ('pending', 'running', 'waiting', 'review')
          group by build_id having count(*) > 1) twins) as two,
        (select count(*) from (
          select b.id from builder_runs b, jsonb_array_elements(b.progress) line group by b.id, line ->> 'text' having count(*) > 1
        ) echoes) as twice`
    seen.buildsWithTwo += Number(wrong!.two)
    seen.linesToldTwice += Number(wrong!.twice)
  }

  await Promise.all([feed(), kill()])
  await Promise.all(starts)
  const left = await untilQuiet(yard, look)
  const [ended] = await sql<{ failed: string; turns: string }>`
    select count(*) filter (where status = 'failed') as failed,
      (select count(*) from builder_runs b, jsonb_array_elements(b.progress) line where line ->> 'text' like '%checking the answer.') as turns
    from builder_runs`
  return {
    ...seen,
    failed: Number(ended!.failed),
    lost: left,
    asked: model.requests.length,
    turns: Number(ended!.turns),
  }
}

/** Any worker; three times of four one that is at a builder run. */
async function choose({ workers, sql }: Yard): Promise<Service> {
  const random = workers[Math.floor(Math.random() * workers.length)]!
  if (Math.random() < 0.25) return random
  const [busy] = await sql<{ pid: number }>`
    select p.pid from graphile_worker.jobs j join processes p on p.job_pool_id = j.locked_by
    where j.task_identifier = 'advanceBuilder' order by random() limit 1`
  return workers.find(({ pid }) => pid === busy?.pid) ?? random
}

async function underWay({ sql }: Yard): Promise<number> {
  const [row] = await sql<{ count: string }>`
    select count(*) from builder_runs where status in ('pending', 'running', 'waiting', 'review')`
  return Number(row!.count)
}

/** Until none is active, or nothing has moved for a minute; answers with how many were left. */
async function untilQuiet(yard: Yard, look: () => Promise<void>): Promise<number> {
  let last = ''
  let since = performance.now()
  for (;;) {
    await look()
    const left = await underWay(yard)
    if (left === 0) return 0
    const [row] = await yard.sql<{ at: string }>`select max(updated_at)::text as at from builder_runs`
    if (row!.at !== last) since = performance.now()
    last = row!.at
    if (performance.now() - since > 60_000) return left
    await sleep(100)
  }
}

export const holdsForBuilders = (counts: KilledBuilders): boolean =>
  counts.accepted === counts.begun && counts.lost + counts.failed + counts.buildsWithTwo + counts.linesToldTwice === 0

export const builderProof: Proof = {
  name: 'kill -9 of workers at random moments under builder runs',
  must: 'at least 100 kills of a worker that is at a builder run; every one comes to a proposal and is accepted; never two active for a build, no line of progress twice',
  async run(dataDir) {
    const model = await startBuilderModel()
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error', ...builderEnv(model) } } })
    try {
      const counts = await killWorkersOfBuilders(yard, model, { killsBetween: 100, atOnce: 8 })
      return { counts, holds: holdsForBuilders(counts) && counts.killsBetween >= 100 }
    } finally {
      await yard.close()
      await model.close()
    }
  },
}
