// A process that dies while it works on a suggestion, at every statement: the next one comes to the same end, and nothing is there twice.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../../test/fakes/anthropic.ts'
import { isLongForm } from '../../../../test/kit/longForm.ts'
import { Died, Mortal, type Fate } from '../../../../test/kit/mortal.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { failingAgent, proposes, sturdy, suggestionsOf, suggestRound } from '../../../../test/kit/suggestions.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { drainReplays } from '../../replays/replaying/replayer.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { anthropicKey: 'sk-ant-1234567890', anthropicUrl: provider.url, model: 'anthropic:claude-sonnet-4-5' },
})
const { sql } = service.context.db
const mortal = new Mortal(service.context)

/** One process after the other does a round, until one outlives it; answers with how many died. */
async function round(): Promise<number> {
  for (let deaths = 0; ; deaths++) {
    mortal.born()
    try {
      await suggestRound(mortal.context)
      // what goes wrong with one suggestion, the round outlives: also this
      if (!mortal.hasDied) return deaths
    } catch (error) {
      assert.ok(error instanceof Died, String(error))
    }
  }
}

const team = await seedTeam(service)
const agentId = await failingAgent(service, team)

/** From failing runs to what a person decides; answers with how many processes died. */
async function tell(fate: Fate): Promise<number> {
  // nothing was suggested yet
  await sql`delete from builds where agent_id = ${agentId} and status = 'draft'`
  await sql`delete from replay_sets where agent_id = ${agentId}`
  provider.forget()
  provider.answer(proposes(sturdy))
  mortal.begin(fate)
  let deaths = await round()
  await service.drain()
  deaths += await round()
  await drainReplays(service.context)
  deaths += await round()
  const all = await suggestionsOf(team, agentId)
  assert.deepEqual(
    all.map(({ state }: { state: string }) => state),
    ['open'],
  )
  const [made] = await sql`
    select (select count(*) from builds where agent_id = ${agentId})::int as builds,
      (select count(*) from builder_runs where agent_id = ${agentId})::int as builder_runs,
      (select count(*) from replays where agent_id = ${agentId} and state = 'completed' and runs_same + runs_changed = runs)::int as replays,
      (select count(*) from replays where agent_id = ${agentId})::int as all_replays,
      (select count(*) from replay_sets where agent_id = ${agentId})::int as sets,
      (select count(*) from suggestion_runs where team_id = ${team.id})::int as runs`
  assert.deepEqual(made, { builds: 2, builder_runs: 1, replays: 1, all_replays: 1, sets: 1, runs: 2 })
  return deaths
}

proves(
  'suggestions.deaths',
  'a death at any statement, before it or after, leaves one draft and one replay',
  async (t) => {
    assert.equal(await tell(() => undefined), 0)
    let deaths = 0
    // it is over when nobody died any more
    for (let last = 1, died = 1; died > 0; last++) {
      died = 0
      const moments = isLongForm ? (['before', 'after'] as const) : ([last % 2 === 0 ? 'before' : 'after'] as const)
      for (const when of moments) died += await tell((statement) => (statement === last ? when : undefined))
      deaths += died
    }
    t.diagnostic(`${deaths} deaths`)
    assert.ok(deaths >= 20, `${deaths} deaths`)
  },
)

proves('suggestions.deaths', 'a death at every statement for a while is outlived as well', async () => {
  for (const from of [1, 9, 20]) {
    await tell((statement) => (statement >= from && statement < from + 8 ? 'before' : undefined))
  }
})
