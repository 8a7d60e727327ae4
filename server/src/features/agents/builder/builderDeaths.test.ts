// A builder run whose process dies, at every statement and every word of its model: the next one ends it the same way.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../../test/fakes/anthropic.ts'
import type { FakeAnswer, FakeRequest } from '../../../../test/fakes/fakeProvider.ts'
import { isLongForm } from '../../../../test/kit/longForm.ts'
import { Died, Mortal, type Fate } from '../../../../test/kit/mortal.ts'
import { generate, newDraft, readBuilderRun } from '../../../../test/kit/builder.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { advanceBuilder } from './advanceBuilder.job.ts'
import { finishQuestion, goalQuestion } from './deterministicBuilder.ts'
import { leaveItOut, questionFor } from './missingRecords.ts'
import { defaultPlugins } from '../../../engine/builds/buildConfig.ts'
import { procedureTemplate } from '../builds/procedureTemplate.ts'
import { proves } from '../../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const model = 'anthropic:claude-sonnet-4-5'
const service = await testApp({ config: { anthropicKey: 'sk-ant-1234567890', anthropicUrl: provider.url } })
const { sql } = service.context.db
const team = await seedTeam(service)

interface Story {
  name: string
  data: Record<string, unknown>
  prompt: string
  /** What the model says after so many turns of its own. */
  says: FakeAnswer[]
  answers: Record<string, string>
  ends: { status: string; says: RegExp }
}

const answer = (value: object): FakeAnswer => ({ text: JSON.stringify({ procedure: null, questions: [], ...value }) })
const question = { question: 'Which mailbox?', header: null, options: [], multi_select: false }
const byModel = { models: { agent: { model } } }

const setup = (uses: object[], starts: object[] = []) => ({
  uses: [...defaultPlugins.map((name) => ({ kind: 'plugin', name })), ...uses],
  models: [model],
  on_limit: 'fail',
  starts,
})
const hourly = {
  kind: 'schedule',
  frequency: 'hourly',
  time: '',
  day: 'none',
  day_of_month: 0,
  cron: '',
  timezone: 'UTC',
  message: '',
}

const stories: Story[] = [
  {
    name: 'rule: proposes',
    data: {},
    prompt: 'Sort the mails. Report it.',
    says: [],
    answers: {},
    ends: { status: 'review', says: /1\. Report it\./ },
  },
  {
    name: 'rule: asks, then proposes',
    data: {},
    prompt: '- Sort the mails',
    says: [],
    answers: { [goalQuestion]: 'Tidy mails.', [finishQuestion]: 'All are read.' },
    ends: { status: 'review', says: /2\. Done when: All are read\./ },
  },
  {
    name: 'model: is corrected, asks, is corrected, proposes',
    data: byModel,
    prompt: 'Sort the mails.',
    says: [
      { text: 'no JSON' },
      answer({ questions: [question] }),
      answer({ procedure: '```wait\nfor ever\n```' }),
      answer({ procedure: '# Mails\n\n## Steps\n\n1. Sort them.\n' }),
    ],
    answers: { 'Which mailbox?': 'Mine.' },
    ends: { status: 'review', says: /1\. Sort them\./ },
  },
  {
    name: 'model: names what is missing, then proposes with a trigger',
    data: byModel,
    prompt: 'Sort the mails.',
    says: [
      answer({ procedure: '# Mails\n\n1. Sort them.\n', setup: setup([{ kind: 'secret', name: 'mailbox' }]) }),
      answer({ procedure: '# Mails\n\n1. Sort them.\n', setup: setup([], [hourly]) }),
    ],
    answers: {
      [questionFor({
        kind: 'secrets',
        noun: 'secret',
        where: 'under Connections, Secrets',
        name: 'mailbox',
        among: [],
      })]: leaveItOut,
    },
    ends: { status: 'review', says: /1\. Sort them\..*schedule: hourly/s },
  },
  {
    name: 'model: is refused',
    data: byModel,
    prompt: 'Sort the mails.',
    says: [{ text: 'no JSON' }, { status: 400, error: { message: 'too odd' } }],
    answers: {},
    ends: { status: 'failed', says: /too odd/ },
  },
  {
    name: 'model: its provider fails once',
    data: byModel,
    prompt: 'Sort the mails.',
    says: [answer({ procedure: '# Mails\n\n1. Sort them.\n' })],
    answers: {},
    ends: { status: 'review', says: /1\. Sort them\./ },
  },
]

/** What the provider does with each request of the life at hand; undefined: as the story says. */
let interfere: (asked: number) => FakeAnswer | undefined = () => undefined
let story = stories[0]!
let asked = 0

/** Told by the talk alone, as a real model: asked again, it says the same again. */
function speak({ body }: FakeRequest): FakeAnswer {
  provider.answer(speak)
  const turns = (body.messages as { role: string }[]).filter(({ role }) => role === 'assistant').length
  return interfere(asked++) ?? story.says[turns]!
}
provider.answer(speak)

const mortal = new Mortal(service.context)
let deaths = 0

/** One process after the other works on it, until it rests. */
async function live(id: string, signal = () => new AbortController().signal): Promise<void> {
  for (let process = 0; process < 20; process++) {
    mortal.born()
    const { context } = mortal
    const input = { builder_run_id: id, team_id: team.id }
    try {
      await advanceBuilder.handler({ input, context, sql: context.db.sql, signal: signal() })
    } catch (error) {
      deaths += 1
      assert.ok(error instanceof Died || (error as Error).name === 'AbortError', String(error))
    }
    const active = await sql`
      select id from builder_runs where build_id = (select build_id from builder_runs where id = ${id})
        and status in ('pending', 'running', 'waiting', 'review')`
    assert.ok(active.length <= 1)
    // the pause after trouble, if there is one, is over
    await sql`update builder_runs set due_at = now() - interval '1 second' where id = ${id} and due_at is not null`
    const { status } = await readBuilderRun(team, id)
    if (status === 'waiting')
      await team.call(`POST /v2/builder-runs/${id}/resume`, { body: { answers: story.answers } })
    else if (status !== 'pending' && status !== 'running') return
  }
}

async function tell(one: Story, fate: Fate, signal?: () => AbortSignal): Promise<void> {
  story = one
  asked = 0
  mortal.begin(fate)
  const { buildId } = await newDraft(team, procedureTemplate, one.data)
  const id = await generate(team, buildId, { prompt: one.prompt })
  await live(id, signal)
  const run = await readBuilderRun(team, id)
  const triggers = (run.proposed_triggers ?? []).map(({ title }: { title: string }) => title)
  const told = `${run.proposed_config?.data.input ?? ''}${run.error?.message ?? ''}${triggers.join()}`
  assert.equal(run.status, one.ends.status, JSON.stringify(run))
  assert.match(told, one.ends.says)
}

/** The short form has a death at each statement, in turns before it and after. */
const momentsOf = (statement: number): ('before' | 'after')[] =>
  isLongForm ? ['before', 'after'] : [statement % 2 === 0 ? 'before' : 'after']

const spared: Fate = () => undefined

for (const one of stories) {
  proves('builder.deaths', `${one.name}: a death at any statement, before it or after, changes nothing`, async (t) => {
    const provoke = one.name.endsWith('fails once')
    interfere = (count) => (provoke && count === 0 ? { status: 500, error: { message: 'oh no' } } : undefined)
    t.after(() => (interfere = () => undefined))
    await tell(one, spared)
    const before = deaths
    // on a slow machine a story has more statements: what the model wrote in a second is told. It is over when nobody died any more
    for (let last = 1, died = -1; died !== deaths; last++) {
      died = deaths
      for (const when of momentsOf(last)) await tell(one, (statement) => (statement === last ? when : undefined))
    }
    t.diagnostic(`${deaths - before} deaths`)
    assert.ok(deaths - before >= 3)
  })
}

proves('builder.deaths', 'a death at every statement for a while is outlived as well', async () => {
  for (const from of [1, 4, 7]) {
    await tell(stories[2]!, (statement) => (statement >= from && statement < from + 8 ? 'before' : undefined))
  }
})

proves('builder.deaths', 'so is a death while the model answers, before its first word or in the middle', async () => {
  for (let call = 0; call < 4; call++) {
    for (const isMiddle of [false, true]) {
      const killing = new AbortController()
      interfere = (count) => {
        if (count !== call) return undefined
        mortal.die()
        setImmediate(() => killing.abort())
        return isMiddle ? { text: ['half', ' a word'], hold: new Promise(() => undefined) } : { isDeaf: true }
      }
      await tell(stories[2]!, spared, () => (asked <= call ? killing.signal : new AbortController().signal))
    }
  }
  interfere = () => undefined
  assert.ok(deaths >= 60, `${deaths} deaths in all`)
})

proves('builder.fenced', 'one that was taken for dead and speaks after all is not heard', async () => {
  story = stories[5]!
  asked = 0
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: isAsked, resolve: heardOf } = Promise.withResolvers<void>()
  interfere = (count) => {
    if (count > 0) return undefined
    heardOf()
    return { ...answer({ procedure: 'A zombie wrote this.' }), hold: held }
  }
  const { buildId } = await newDraft(team, procedureTemplate, byModel)
  const id = await generate(team, buildId, { prompt: 'Sort the mails.' })
  const { context } = service
  const call = { input: { builder_run_id: id, team_id: team.id }, context, sql, signal: new AbortController().signal }
  const zombie = advanceBuilder.handler(call)
  await isAsked
  await advanceBuilder.handler(call)
  const run = await readBuilderRun(team, id)
  assert.equal(run.status, 'review')
  release()
  await zombie
  interfere = () => undefined
  assert.deepEqual(await readBuilderRun(team, id), run)
})

proves('builder.claims', 'one that is cut off every time ends after 25 claims with that reason', async () => {
  story = stories[0]!
  const { buildId } = await newDraft(team, procedureTemplate, {})
  const id = await generate(team, buildId, { prompt: 'Sort the mails. Report it.' })
  await sql`update builder_runs set attempt = 25 where id = ${id}`
  await live(id)
  const { status, error } = await readBuilderRun(team, id)
  assert.deepEqual([status, error.code], ['failed', 'interrupted'])
})
