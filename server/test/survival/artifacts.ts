// Proofs about artifacts: refreshes that are due at one moment happen once each, and a page whose workers are killed is whole or not there.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeAnswer, FakeProvider, FakeRequest } from '../fakes/fakeProvider.ts'
import { startFakeOpenaiCompatible } from '../fakes/openaiCompatible.ts'
import { fenced } from '../kit/artifacts.ts'
import type { Proof } from './proof.ts'
import { bodyOf, openYard, processIdOf, until, untilQuiet, type Yard } from './yard.ts'

interface RefreshedArtifacts {
  artifacts: number
  /** How many had been started when the process was killed. */
  startedAtKill: number
  /** Artifacts without a refresh, and refreshes beyond the first of an artifact: both must be 0. */
  lost: number
  doubled: number
  /** Artifacts that were not moved on, or whose page has no new data: both must be 0. */
  notMovedOn: number
  notRefreshed: number
}

const page = (word: string): string =>
  `${fenced('tool name=artifact_read id=page', '{}')}\n${fenced('html', `<h1>${word}</h1><p>{{ data.page.title }}</p><p>the end</p>`)}`

async function killWhileRefreshing(yard: Yard, { artifacts }: { artifacts: number }): Promise<RefreshedArtifacts> {
  const { sql, workers } = yard
  const first = await newArtifact(yard, page('Refreshed'))
  await untilQuiet(yard)
  for (let made = 1; made < artifacts; made += 1) {
    bodyOf(await yard.call({ method: 'POST', path: `/v2/artifacts/${first}/duplicate` }))
  }
  const [due] = await sql<{ at: Date }>`
    with moved as (
      update artifacts set refresh_frequency = 'daily', next_refresh_at = date_trunc('second', now()) + interval '2.5 seconds'
      returning next_refresh_at)
    select min(next_refresh_at) as at from moved`
  const at = due?.at ?? new Date()
  const started = async () =>
    Number((await sql<{ runs: string }>`select count(*) as runs from runs where created_at >= ${at}`)[0]?.runs)
  await until('a quarter is started', started, (runs) => runs >= artifacts / 4)
  await workers.shift()?.stop('SIGKILL')
  const startedAtKill = await started()
  const left = async () =>
    Number((await sql<{ n: string }>`select count(*) as n from artifacts where next_refresh_at <= now()`)[0]?.n)
  await until('all are started', left, (count) => count === 0, { everyMs: 100, forMs: 300_000 })
  await untilQuiet(yard)
  const of = await sql<{ runs: number; moved_on: boolean; refreshed: boolean }>`
    select (select count(*)::int from runs r where r.agent_id = a.agent_id and r.created_at >= ${at}) as runs,
      a.next_refresh_at > now() as moved_on, coalesce(a.last_refresh_at >= ${at} and v.data_at >= ${at}, false) as refreshed
    from artifacts a join artifact_revisions v on v.id = a.current_revision_id`
  return {
    artifacts,
    startedAtKill,
    lost: of.filter(({ runs }) => runs === 0).length + artifacts - of.length,
    doubled: of.reduce((sum, { runs }) => sum + Math.max(0, runs - 1), 0),
    notMovedOn: of.filter(({ moved_on }) => !moved_on).length,
    notRefreshed: of.filter(({ refreshed }) => !refreshed).length,
  }
}

const holdsForRefreshes = (seen: RefreshedArtifacts): boolean =>
  seen.lost + seen.doubled + seen.notMovedOn + seen.notRefreshed === 0 && seen.startedAtKill < seen.artifacts

const newArtifact = async (yard: Yard, message: string): Promise<string> =>
  bodyOf(await yard.call({ method: 'POST', path: '/v2/artifacts', body: { message } }))['artifact_id'] as string

export interface KilledMakers {
  begun: number
  kills: number
  /** Kills of a worker that had the work of an artifact in its hands. */
  killsBetween: number
  /** How they ended: a whole page, or a failure with its reason. */
  completed: number
  failed: number
  answered: number
  /** All must be 0: without an end, failed without a reason, with work left behind, pages that were not whole when somebody looked. */
  lost: number
  unexplained: number
  leftBehind: number
  halfPages: number
  looks: number
}

const question = 'Which colour?'
const html = '<h1>Made</h1><p>{{ data.page.title }}</p><p>the end</p>'
const save = (): FakeAnswer => ({
  calls: [{ name: 'artifact_save', arguments: { procedure: fenced('tool name=artifact_read id=page', '{}'), html } }],
})

/** Three kinds of models, by the number in the wish: one saves and ends, one asks first, one saves what cannot be shown and corrects it. */
const talks: FakeAnswer[][] = [
  [save(), { text: 'The page is ready.' }],
  [
    { calls: [{ name: 'human_ask', arguments: { title: 'A question', questions: [{ question }] } }] },
    save(),
    { text: 'The page is ready.' },
  ],
  [
    { calls: [{ name: 'artifact_save', arguments: { html: '<script>alert(1)</script>' } }] },
    save(),
    { text: 'The page is ready.' },
  ],
]

export async function startPageModel(): Promise<FakeProvider> {
  const fake = await startFakeOpenaiCompatible()
  const speak = ({ body }: FakeRequest): FakeAnswer => {
    fake.answer(speak)
    const messages = body.messages as { role: string }[]
    const talk = talks[Number(/wish-(\d+)/.exec(JSON.stringify(messages))?.[1]) % talks.length] ?? []
    const answer = talk[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'Nothing more.' }
    return answer.text === undefined ? answer : { ...answer, hold: sleep(Math.random() * 300) }
  }
  fake.answer(speak)
  return fake
}

/** Beside the wishes that a model answers, messages that are procedures: one that works, one that waits, one that fails. */
const messages = [
  (n: number) => `Make a page, wish-${n}.`,
  (n: number) => `Make a page, wish-${n}.`,
  (n: number) => `Make a page, wish-${n}.`,
  () => page('Made'),
  () => `${fenced('wait', '1s')}\n${page('Made')}`,
  () => `${fenced('tool name=no_such_tool', '{}')}\n${page('Made')}`,
]

export async function killMakers(
  yard: Yard,
  options: { killsBetween: number; atOnce: number; pauseMs?: number },
): Promise<KilledMakers> {
  const { sql } = yard
  const seen = { begun: 0, kills: 0, killsBetween: 0, answered: 0, halfPages: 0, looks: 0 }
  const starts: Promise<unknown>[] = []
  const mayContinue = () => seen.killsBetween < options.killsBetween
  const underWay = async () =>
    Number((await sql<{ n: string }>`select count(*) as n from artifacts where run_id is not null`)[0]?.n)

  async function feed(): Promise<void> {
    while (mayContinue()) {
      for (let room = options.atOnce - (await underWay()); room > 0; room -= 1) {
        const message = messages[seen.begun % messages.length]
        await newArtifact(yard, message?.(seen.begun) ?? '')
        seen.begun += 1
      }
      await sleep(50)
    }
  }

  /** A person: answers what is asked, and looks at a page that may be in the making. */
  async function person(isEnding: () => boolean): Promise<void> {
    while (!isEnding()) {
      const [some] = await sql<{ id: string }>`select id from artifacts order by random() limit 1`
      if (some) {
        const shown = await yard.call({ path: `/v2/artifacts/${some.id}/render` })
        seen.looks += 1
        if (shown.status === 200 ? !shown.text.includes('the end') : shown.status !== 404) seen.halfPages += 1
      }
      const asking = await sql<{ id: string }>`
        select a.id from artifacts a join human_requests h on h.run_id = a.run_id and h.status = 'pending' limit 5`
      for (const { id } of asking) {
        const body = { answers: { [question]: 'Blue' } }
        const { status } = await yard.call({ method: 'POST', path: `/v2/artifacts/${id}/answer`, body })
        if (status === 200) seen.answered += 1
      }
      await sleep(30)
    }
  }

  async function kill(): Promise<void> {
    while (mayContinue()) {
      await sleep(Math.random() * (options.pauseMs ?? 300))
      await until(
        'two workers live',
        async () => yard.workers.length,
        (count) => count > 1,
      )
      const victim = yard.workers.shift()
      if (!victim) continue
      starts.push(yard.startWorker().then((worker) => yard.workers.push(worker)))
      const workerId = await processIdOf(yard, victim)
      const held = await sql`select id from runs where worker = ${workerId} and source = 'artifact'`
      victim.child.kill('SIGKILL')
      seen.kills += 1
      if (held.length > 0) seen.killsBetween += 1
    }
  }

  let isOver = false
  const looking = person(() => isOver)
  await Promise.all([feed(), kill()])
  await Promise.all(starts)
  await until('nothing is worked on', underWay, (count) => count === 0, { forMs: 180_000 }).catch(() => undefined)
  isOver = true
  await looking
  const [ends] = await sql<Record<'completed' | 'failed' | 'lost' | 'unexplained' | 'left_behind', string>>`
    select count(*) filter (where status = 'completed' and current_revision_id is not null and run_id is null) as completed,
      count(*) filter (where status = 'failed' and run_id is null) as failed,
      count(*) filter (where run_id is not null or status not in ('completed', 'failed')
        or (status = 'completed' and current_revision_id is null)) as lost,
      count(*) filter (where status = 'failed' and not exists (
        select from artifact_messages m where m.artifact_id = artifacts.id and m.role = 'assistant' and m.content like '%no_such_tool%')
        ) as unexplained,
      (select count(*) from artifact_drafts) as left_behind
    from artifacts`
  const count = (name: keyof NonNullable<typeof ends>) => Number(ends?.[name])
  return {
    ...seen,
    completed: count('completed'),
    failed: count('failed'),
    lost: count('lost'),
    unexplained: count('unexplained'),
    leftBehind: count('left_behind'),
  }
}

export const holdsForMakers = (seen: KilledMakers): boolean =>
  seen.lost + seen.unexplained + seen.leftBehind + seen.halfPages === 0 && seen.completed + seen.failed === seen.begun

export const modelEnv = ({ url }: FakeProvider): Record<string, string> => ({
  RUNYARD_MODEL: 'openai-compatible:local',
  OPENAI_COMPATIBLE_URL: url,
})

export const artifactProofs: Proof[] = [
  {
    name: '1,000 artifacts due at one moment, 3 processes, one killed',
    must: 'each is refreshed once, has new data and is moved on',
    async run(dataDir) {
      const env = { LOG_LEVEL: 'error' }
      const yard = await openYard({ options: { dataDir, env }, workers: 3 })
      try {
        const counts = await killWhileRefreshing(yard, { artifacts: 1000 })
        return { counts, holds: holdsForRefreshes(counts) }
      } finally {
        await yard.close()
      }
    },
  },
  {
    name: 'kill -9 of workers that make artifacts, 50 of them in the middle of the work',
    must: 'each ends with a whole page or with a reason; a half page is never shown; nothing is left behind',
    async run(dataDir) {
      const model = await startPageModel()
      const env = { LOG_LEVEL: 'error', ...modelEnv(model) }
      const yard = await openYard({ options: { dataDir, env }, workers: 3 })
      try {
        const counts = await killMakers(yard, { killsBetween: 50, atOnce: 12 })
        return { counts, holds: holdsForMakers(counts) && counts.killsBetween >= 50 }
      } finally {
        await yard.close()
        await model.close()
      }
    },
  },
]
