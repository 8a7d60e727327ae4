// The built-in pages: each can be read, shows a team at work, and is kind to a team that has only begun.
import assert from 'node:assert/strict'
import { isRecord } from '../../../base/isRecord.ts'
import { parseRunbook } from '../../../drivers/model/runbook/parse.ts'
import { figuresAt } from '../../../../test/kit/figures.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { sampleFigures } from '../../../../test/kit/sampleFigures.ts'
import { sampleNow } from '../../../../test/kit/sampleTeam.ts'
import { seedQueue, seedCases } from '../../../../test/kit/cases.ts'
import { subscribe } from '../../../../test/kit/deliveries.ts'
import { seeders, seedTeam } from '../../../../test/kit/seed.ts'
import { pageOf, stepsOf } from '../../../../test/kit/templatePages.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { templates, type PageOffer } from './index.ts'

const service = await testApp()
const sample = (tool: string, input: object) => Promise.resolve(sampleFigures(tool, input))

const shows: Record<string, RegExp[]> = {
  operations_today: [/Runs by hour/, /Invoice check/, /erp\.example\.com/, /Support mail/],
  agent_scorecard: [/Scorecard/, /Onboarding mails/, /Tool errors were handled/],
  queue_ageing: [/Contracts to read/, /8 d 17 h/, /language: German/],
  cost_by_agent_and_model: [/Cost by day and model/, /anthropic:claude-opus-4-1/, /\$/],
  blank: [/This page is yours/, /\{\{ data\.week\.totals\.runs \}\}/],
}

const empty: Record<string, RegExp> = {
  operations_today: /Quiet so far[^]*This team has no queue yet[^]*This team has no webhook yet/,
  agent_scorecard: /Nothing to compare yet/,
  queue_ageing: /No queue yet/,
  cost_by_agent_and_model: /No model was asked/,
  blank: /This page is yours/,
}

proves('artifacts.templates', 'there are five built-in pages, and each is a runbook with steps and a template', () => {
  assert.deepEqual(
    templates.map(({ name, title }) => [name, title]),
    [
      ['operations_today', 'Operations today'],
      ['agent_scorecard', 'Agent scorecard'],
      ['queue_ageing', 'Queue ageing'],
      ['cost_by_agent_and_model', 'Cost by agent and model'],
      ['blank', 'Blank page'],
    ],
  )
  for (const template of templates) {
    assert.match(template.description, /^[A-Z].+\.$/)
    assert.doesNotMatch(template.procedure, /^`{3,}html/m)
    assert.equal(template.procedure.match(/^```tool /gm)?.length ?? 0, stepsOf(template).length)
  }
})

/** The steps and the template as one procedure. */
const whole = ({ procedure, html }: PageOffer): string => `${procedure}\n\`\`\`\`html\n${html}\`\`\`\`\n`

proves(
  'artifacts.templates',
  'each page is a runbook without a mistake, and so is the example on the blank one',
  () => {
    for (const template of templates) {
      const { blocks, problems } = parseRunbook(whole(template))
      assert.deepEqual(problems, [])
      const kinds = blocks.map(({ kind }) => kind)
      assert.deepEqual(kinds, [...stepsOf(template).map(() => 'tool'), 'html'])
    }
    const blank = templates.find(({ name }) => name === 'blank')
    const [, shown = ''] = /<pre><code>([^]*)<\/code><\/pre>/.exec(blank?.html ?? '') ?? []
    const example = shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('\\{{', '{{')
    const { blocks, problems } = parseRunbook(example)
    assert.deepEqual([blocks.map(({ kind }) => kind), problems], [['tool', 'html'], []])
  },
)

for (const template of templates) {
  proves('artifacts.templates', `${template.name} shows the figures of a team at work, in light and dark`, async () => {
    for (const theme of ['light', 'dark'] as const) {
      const { html, problems, tables } = await pageOf(template, theme, sample)
      assert.deepEqual(problems, [])
      assert.match(html, new RegExp(`data-theme="${theme}"`))
      for (const text of shows[template.name] ?? []) assert.match(html, text)
      assert.doesNotMatch(html, />(undefined|null|NaN)</)
      if (stepsOf(template).length > 0) assert.ok(tables.length >= 3)
    }
  })

  proves('artifacts.templates', `${template.name} tells a new team what will be there`, async () => {
    const team = await seedTeam(service)
    const { read } = figuresAt(service, sampleNow.toISOString())
    const { html, problems } = await pageOf(template, 'light', (tool, input) => read(team, tool, input))
    assert.deepEqual(problems, [])
    assert.match(html, empty[template.name] ?? /^$/)
  })
}

/** The keys of an answer and of the first row of each of its lists. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (!isRecord(value)) return '·'
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]))
}

proves('artifacts.templates', 'the figures of the sample have the columns of real ones', async () => {
  const team = await seedTeam(service)
  await seeders['run']!(team, {})
  const queueId = await seedQueue(team)
  const [caseId] = await seedCases(team, queueId, 1)
  await team.call(`POST /v2/queues/${queueId}/labels`, { body: { key: 'kind', value: 'a' } })
  await team.sql`insert into case_labels (case_id, label_id, created_at) select ${caseId}, id, now() from labels where queue_id = ${queueId}`
  await subscribe(team, 'https://hooks.example.com/')
  const [agent] = await team.sql<{ id: string; build_id: string }>`
    select agent_id as id, build_id from runs where team_id = ${team.id}`
  await team.sql`
    insert into usage_entries (team_id, agent_id, model, purpose, calls, cost_usd) values (${team.id}, ${agent!.id}, 'a model', 'run', 1, 1)`
  await team.sql`
    insert into eval_counts (team_id, agent_id, build_id, hour, flag, evaluated, with_issues)
    select ${team.id}, ${agent!.id}, ${agent!.build_id}, run_hour(now()), flag, 1, 1 from unnest(array['all', 'limits_kept']) flag`
  const { read } = figuresAt(service, new Date().toISOString())
  for (const template of templates) {
    for (const { tool, input } of stepsOf(template)) {
      const [real, made] = [shapeOf(await read(team, tool, input)), shapeOf(sampleFigures(tool, input))]
      // a sample may hold more than was asked for, such as labels
      for (const [key, shape] of Object.entries(real as object)) {
        assert.deepEqual((made as Record<string, unknown>)[key], shape, `${tool} ${JSON.stringify(input)}: ${key}`)
      }
    }
  }
})
