// Two agents that the builder works on: of one it asks which secret a call needs, and for the other it proposes a change with triggers.
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { BuilderRun, Runyard } from '../../../sdk/src/index.ts'
import { step } from './sampleAgents.ts'

export interface SampleBuilder {
  /** The addresses of their drafts. */
  asks: string
  proposes: string
}

const prompt = [
  'Goal: read the open orders every morning and list those that are late.',
  step(
    'http id=orders',
    'GET https://shop.example.com/orders?state=open\nAuthorization: Bearer sk-live-1234567890abcdef',
  ),
  'Done when every late order is listed with its customer.',
].join('\n\n')

const triggers = [
  {
    kind: 'schedule',
    title: 'schedule: workday, 07:30 (Europe/Berlin)',
    settings: { frequency: 'workday', time: '07:30', timezone: 'Europe/Berlin', message: 'List the late orders.' },
  },
  {
    kind: 'webhook',
    title: 'webhook “Orders of the shop”: proved by standard_webhooks',
    settings: {
      name: 'Orders of the shop',
      filter: "body.state == 'late'",
      message: 'Order {{ body.order }} is late.',
      webhook: { verifier: 'standard_webhooks' },
    },
  },
]

/** The team must have secrets: they are what is offered. */
export async function makeSampleBuilder(sdk: Runyard, database: string): Promise<SampleBuilder> {
  const [asks, proposes] = await Promise.all([begin(sdk, 'Late orders'), begin(sdk, 'Morning list')])
  const { run } = proposes
  const answers = Object.fromEntries(
    (run.pending_user_questions?.questions ?? []).map(({ question, options = [] }) => [
      question,
      options.find(({ label }) => label.endsWith('_TOKEN'))?.label ?? '',
    ]),
  )
  await sdk.agents.resumeBuilderRun(run.id, { answers })
  await until(sdk, run.id, 'review')
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    // only a model proposes them, and there is none here
    await client.query('update builder_runs set proposed_triggers = $1::jsonb where id = $2', [
      JSON.stringify(triggers),
      run.id,
    ])
  } finally {
    await client.end()
  }
  return { asks: asks.path, proposes: proposes.path }
}

async function begin(sdk: Runyard, name: string): Promise<{ path: string; run: BuilderRun }> {
  const { agent_id } = await sdk.agents.create({ name, instructions: `# ${name}\n\nLists the orders of a day.\n` })
  const { build_id } = await sdk.agents.createRevision(agent_id)
  const { builder_run_id } = await sdk.agents.generateRevision(build_id, { prompt })
  const path = `/agents/${agent_id}?build=${build_id}&panel=builder`
  return { path, run: await until(sdk, builder_run_id, 'waiting') }
}

async function until(sdk: Runyard, id: string, status: BuilderRun['status']): Promise<BuilderRun> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await pause(50)) {
    const { builder_run } = await sdk.agents.getBuilderRunStatus(id)
    if (builder_run.status === status) return builder_run
    if (builder_run.status === 'failed') throw new Error(`the builder failed: ${builder_run.error?.message}`)
  }
  throw new Error(`the builder run ${id} has not become ${status}`)
}
