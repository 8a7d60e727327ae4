// Builds as users meet them: drafts, promotion and rollback, and what is refused.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()

const withData = (data: object) => ({ version: 'v2', data })

async function newAgent(team: TestTeam, body: object = { instructions: 'Wait.' }) {
  const made = await team.call('POST /v2/teams/:teamId/agents', { body })
  assert.equal(made.status, 201, made.text)
  return made.body as { agent_id: string; build_id: string }
}

const newDraft = (team: TestTeam, agentId: string, body: object = {}) =>
  team.call(`POST /v2/agents/${agentId}/revisions`, { body })

proves('builds.draft', 'a draft is a copy of the live build, or of a given one, or has a given config', async () => {
  const team = await seedTeam(service)
  const { agent_id, build_id } = await newAgent(team, { name: 'Clerk', instructions: 'File it.' })
  const other = await newAgent(team, { instructions: 'Count it.' })
  const copy = await newDraft(team, agent_id)
  assert.equal(copy.status, 201)
  const { build } = copy.body
  assert.deepEqual([build.status, build.revision_number, build.name], ['draft', 2, 'Clerk'])
  assert.deepEqual([build.parent_build_id, build.created_by, build.published_at], [build_id, team.memberId, null])
  assert.equal(build.config.data.input, 'File it.')
  const ofOther = await newDraft(team, agent_id, { source_build_id: other.build_id, name: 'Borrowed' })
  assert.deepEqual(
    [ofOther.body.build.config.data.input, ofOther.body.build.name, ofOther.body.build.parent_build_id],
    ['Count it.', 'Borrowed', other.build_id],
  )
  const given = await newDraft(team, agent_id, { config: withData({ input: 'Burn it.' }) })
  assert.deepEqual([given.body.build.config.data.input, given.body.build.parent_build_id], ['Burn it.', build_id])
  assert.equal((await newDraft(team, agent_id, { source_build_id: newId() })).status, 404)
  const { body } = await team.call(`GET /v2/agents/${agent_id}/revisions?limit=3`)
  assert.deepEqual(
    body.builds.map((one: { revision_number: number }) => one.revision_number),
    [4, 3, 2],
  )
  assert.equal(body.total, 4)
  assert.deepEqual((await team.call(`GET /v2/agents/${agent_id}/revisions/${build.id}`)).body, copy.body)
})

proves('builds.update', 'only a draft can get another config', async () => {
  const team = await seedTeam(service)
  const { agent_id, build_id } = await newAgent(team)
  const { body: draft } = await newDraft(team, agent_id)
  const config = withData({ input: 'Go.' })
  const changed = await team.call(`PATCH /v2/revisions/${draft.build_id}`, {
    body: { config, revision_name: 'Goes', revision_description: 'It goes now.' },
  })
  assert.deepEqual(changed.body.build.config, config)
  assert.deepEqual(
    [changed.body.build.revision_name, changed.body.build.revision_description],
    ['Goes', 'It goes now.'],
  )
  const cleared = await team.call(`PATCH /v2/revisions/${draft.build_id}`, { body: { revision_name: null } })
  assert.deepEqual([cleared.body.build.revision_name, cleared.body.build.config], [null, config])
  const refused = await team.call(`PATCH /v2/revisions/${build_id}`, { body: { config } })
  assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
  const named = await team.call(`PATCH /v2/revisions/${build_id}`, { body: { revision_name: 'The first' } })
  assert.equal(named.body.build.revision_name, 'The first')
})

proves(
  'builds.updateGuarded',
  'of two people who read the same draft, the second gets a 409 after the first has changed it',
  async () => {
    const team = await seedTeam(service)
    const { agent_id } = await newAgent(team)
    const { body: draft } = await newDraft(team, agent_id)
    const save = (input: string, expected_updated_at: string) =>
      team.call(`PATCH /v2/revisions/${draft.build_id}`, { body: { config: withData({ input }), expected_updated_at } })
    const first = await save('Mine.', draft.build.updated_at)
    assert.equal(first.status, 200, first.text)
    const second = await save('Theirs.', draft.build.updated_at)
    assert.deepEqual([second.status, second.body.error], [409, 'conflict'])
    assert.match(second.body.message, /^Somebody changed this build/)
    const again = await save('Theirs, after reading.', first.body.build.updated_at)
    assert.equal(again.body.build.config.data.input, 'Theirs, after reading.')
    await team.call(`POST /v2/revisions/${draft.build_id}/promote`)
    assert.match((await save('Too late.', again.body.build.updated_at)).body.message, /^Only a draft/)
    const named = await team.call(`PATCH /v2/revisions/${draft.build_id}`, {
      body: { revision_name: 'Late', expected_updated_at: again.body.build.updated_at },
    })
    assert.match(named.body.message, /^Somebody changed this build/)
  },
)

proves(
  'builds.promote',
  'promotion makes a draft or a historic build live and the former live build historic, and logs both',
  async () => {
    const team = await seedTeam(service)
    const { agent_id, build_id } = await newAgent(team)
    const { body: draft } = await newDraft(team, agent_id)
    const promoted = await team.call(`POST /v2/revisions/${draft.build_id}/promote`, { body: { revision_name: 'Two' } })
    assert.deepEqual(
      [promoted.body.success, promoted.body.build_id, promoted.body.build.status, promoted.body.build.revision_name],
      [true, draft.build_id, 'live', 'Two'],
    )
    assert.notEqual(promoted.body.build.published_at, null)
    const former = await team.call(`GET /v2/agents/${agent_id}/revisions/${build_id}`)
    assert.equal(former.body.build.status, 'historic')
    assert.equal((await team.call(`GET /v2/agents/${agent_id}`)).body.agent.live_build_id, draft.build_id)
    const twice = await team.call(`POST /v2/revisions/${draft.build_id}/promote`)
    assert.deepEqual([twice.status, twice.body.error], [409, 'already_live'])
    assert.equal((await team.call(`POST /v2/revisions/${build_id}/promote`)).status, 200)
    const events = await service.context.db.sql<{ event: string; data: object }>`
    select event, data::jsonb - 'event_id' as data from events where team_id = ${team.id} order by id`
    const published = (id: string, revision_number: number, previous: string) => ({
      event: 'assignment.build.published',
      data: { team_id: team.id, agent_id, build_id: id, revision_number, previous_build_id: previous },
    })
    assert.deepEqual(events, [published(draft.build_id, 2, build_id), published(build_id, 1, draft.build_id)])
  },
)

proves(
  'builds.oneLive',
  '80 promotions at once leave one live build, and their events are one unbroken chain',
  async () => {
    const team = await seedTeam(service)
    const { agent_id, build_id } = await newAgent(team)
    const drafts: string[] = []
    for (let made = 0; made < 19; made++) drafts.push((await newDraft(team, agent_id)).body.build_id)
    const builds = [build_id, ...drafts]
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, at) => team.call(`POST /v2/revisions/${builds[at % 20]!}/promote`)),
    )
    const done = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    assert.deepEqual(
      refused.filter(({ body }) => body.error !== 'already_live' && body.error !== 'conflict').map(({ body }) => body),
      [],
    )
    assert.ok(done.length >= 10)
    const { sql } = service.context.db
    const live = await sql<{ id: string }>`select id from builds where agent_id = ${agent_id} and status = 'live'`
    assert.equal(live.length, 1)
    // each is written while the agent's row is held, so the order of their ids is the order of the promotions
    const events = await sql<{ build_id: string; previous: string }>`
    select data ->> 'build_id' as build_id, data ->> 'previous_build_id' as previous
    from events where team_id = ${team.id} order by id`
    assert.deepEqual(
      events.map(({ build_id: id }) => id).toSorted(),
      done.map(({ body }) => body.build_id as string).toSorted(),
    )
    assert.deepEqual(
      events.map(({ previous }) => previous),
      [build_id, ...events.slice(0, -1).map(({ build_id: id }) => id)],
    )
    assert.equal(events.at(-1)!.build_id, live[0]!.id)
    assert.equal((await team.call(`GET /v2/agents/${agent_id}`)).body.agent.live_build_id, live[0]!.id)
  },
)

proves(
  'builds.numbers',
  '50 drafts made at once are numbered without gaps, and a refused one takes no number',
  async () => {
    const team = await seedTeam(service)
    const { agent_id } = await newAgent(team)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        newDraft(team, agent_id, at % 6 === 5 ? { config: withData({ limits: 1 }) } : {}),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 400).length, 10)
    const numbers = answers.flatMap(({ body }) => (body.build ? [body.build.revision_number as number] : []))
    assert.deepEqual(
      numbers.toSorted((one, other) => one - other),
      Array.from({ length: 50 }, (_, at) => at + 2),
    )
  },
)

proves(
  'builds.problems',
  'a config is refused with all that is wrong, the lines of malformed blocks included',
  async () => {
    const team = await seedTeam(service)
    const stranger = await seedTeam(service)
    const { agent_id, build_id } = await newAgent(team)
    const foreign = await seeders['agent']!(stranger, {})
    const config = withData({
      input: '# Steps\n\n```file\nno path\n```\n\n```output\n{{ steps.never.output }}\n```\n',
      models: { agent: { model: 'mystery' } },
      plugins: ['telepathy'],
      connections: [newId()],
      subAgents: [agent_id, foreign, 'no-id'],
      limits: { max_steps: 0 },
    })
    const requests = [
      team.call('POST /v2/teams/:teamId/agents', { body: { build: { config } } }),
      newDraft(team, agent_id, { config }),
      team.call(`PATCH /v2/revisions/${build_id}`, { body: { config } }),
    ]
    for (const { status, body } of await Promise.all(requests)) {
      assert.deepEqual([status, body.error], [400, 'invalid_request'])
      for (const part of [
        'data.input: line 3: ',
        'data.input: line 8: ',
        'data.models.agent.model: must be',
        'data.plugins: "telepathy" is not a plugin of this server',
        'data.connections: ',
        `data.subAgents: the team has no agent with the id "${foreign}"`,
        'data.subAgents: the team has no agent with the id "no-id"',
        'data.limits.max_steps: must be a whole number',
      ]) {
        assert.ok(body.message.includes(part), `${part} in ${body.message}`)
      }
      assert.ok(!body.message.includes(agent_id))
    }
    const short = await team.call('POST /v2/teams/:teamId/agents', {
      body: { instructions: 'x\n```file\n```\n', model: 'x' },
    })
    assert.match(
      short.body.message,
      / instructions: line 2: .* model: must be| model: must be .* instructions: line 2: /,
    )
  },
)

proves('builds.problemsMany', 'of very many problems the first are reported, and how many more there are', async () => {
  const team = await seedTeam(service)
  const { agent_id } = await newAgent(team)
  const few = await newDraft(team, agent_id, { config: withData({ connections: Array(25).fill('c') }) })
  assert.equal(few.body.message.match(/has no connection/g).length, 20)
  assert.match(few.body.message, /\. And 5 more\.$/)
  const long = await newDraft(team, agent_id, { config: withData({ connections: Array(100).fill('c'.repeat(200)) }) })
  assert.ok(long.body.message.length <= 2000)
  assert.match(long.body.message, /\. And 9\d more\.$/)
})

proves(
  'builds.promoteChecks',
  'what a saved config named may be gone when it is promoted: then it is refused, and nothing changes',
  async () => {
    const team = await seedTeam(service)
    const { agent_id, build_id } = await newAgent(team)
    const helper = await newAgent(team)
    const { body: draft } = await newDraft(team, agent_id, { config: withData({ subAgents: [helper.agent_id] }) })
    await team.call(`DELETE /v2/agents/${helper.agent_id}`)
    const refused = await team.call(`POST /v2/revisions/${draft.build_id}/promote`)
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'])
    assert.ok(refused.body.message.includes(`the team has no agent with the id "${helper.agent_id}"`))
    assert.equal((await team.call(`GET /v2/agents/${agent_id}`)).body.agent.live_build_id, build_id)
    // a copy can still be made, to mend it
    assert.equal((await newDraft(team, agent_id, { source_build_id: draft.build_id })).status, 201)
  },
)

proves(
  'builds.promoteChecks',
  'a malformed block in a build of older days is found when it is promoted, with its line',
  async () => {
    const team = await seedTeam(service)
    const { agent_id } = await newAgent(team)
    const { body: draft } = await newDraft(team, agent_id)
    const old = JSON.stringify(withData({ input: 'Then:\n\n```wait\nfor ever\n```\n' }))
    await service.context.db.sql`update builds set config = ${old}::jsonb where id = ${draft.build_id}`
    const { status, body } = await team.call(`POST /v2/revisions/${draft.build_id}/promote`)
    assert.equal(status, 400)
    assert.match(body.message, /data\.input: line [34]: /)
  },
)

const limited = (model?: string) => ({
  config: withData({ limits: { max_cost_usd: 0.5 }, ...(model && { models: { agent: { model } } }) }),
})

proves('builds.costLimit', 'a cost limit needs a model with a price', async () => {
  const team = await seedTeam(service)
  const { agent_id } = await newAgent(team)
  assert.equal((await newDraft(team, agent_id, limited('openai:gpt-5'))).status, 201)
  for (const model of [undefined, 'builtin:runbook', 'openai-compatible:own']) {
    const { status, body } = await newDraft(team, agent_id, limited(model))
    assert.equal(status, 400)
    assert.match(body.message, /data\.limits\.max_cost_usd: \S+ has no price/)
  }
})
