// Tricks with what tenants write and the service evaluates: schemas, patterns, templates, expressions, zones.
import { oversizedPatterns, patternAttacks } from '../../fuzz/hostilePatterns.ts'
import { doublingChain } from '../../fuzz/hostileSchemas.ts'
import { block } from '../yard.ts'
import type { Attacker, Reply, Trick } from './attacker.ts'
import type { Random } from './random.ts'

const slowPatterns = [...patternAttacks.map(({ pattern }) => pattern), ...oversizedPatterns]

export function randomPattern(random: Random, depth = 4): string {
  if (depth === 0) return random.pick(['a', 'b', '.', '[a-z]', '\\w', '\\d', 'aa', ''])
  const inner = () => randomPattern(random, depth - 1)
  return random.pick([
    () => `(${inner()})*`,
    () => `(${inner()}|${inner()})+`,
    () => `(?:${inner()}){0,${random.number(200)}}`,
    () => inner() + inner(),
    () => `^${inner()}$`,
    () => `(?=${inner()})${inner()}`,
  ])()
}

export function randomSchema(random: Random, depth = 5): Record<string, unknown> {
  if (depth === 0) {
    return random.pick([
      () => ({ type: random.pick(['string', 'number', 'object', 'array', 'nonsense', 5]) }),
      () => ({ pattern: random.pick(slowPatterns) }),
      () => ({ pattern: randomPattern(random) }),
      () => ({ $ref: random.pick(['#', '#/$defs/a', '#/nowhere', 'http://127.0.0.1/schema']) }),
      () => ({ enum: Array.from({ length: random.number(200) }, (_, n) => n) }),
      () => ({ const: { [random.word(3)]: random.word(5) } }),
    ])()
  }
  const inner = () => randomSchema(random, depth - 1)
  const several = () => Array.from({ length: 1 + random.number(6) }, inner)
  return random.pick<() => Record<string, unknown>>([
    () => ({ anyOf: several() }),
    () => ({ allOf: several() }),
    () => ({ oneOf: several() }),
    () => ({ not: inner() }),
    () => ({ type: 'object', properties: { a: inner(), b: inner() }, additionalProperties: inner() }),
    () => ({ patternProperties: { [randomPattern(random)]: inner() } }),
    () => ({ type: 'array', items: inner(), uniqueItems: true, contains: inner() }),
    () => ({ $defs: { a: inner() }, $ref: '#/$defs/a' }),
    () => Object.fromEntries(['if', 'then', 'else'].map((word) => [word, inner()])),
  ])()
}

const longTexts = [`${'a'.repeat(60)}!`, 'a'.repeat(50_000), `${'ab'.repeat(5000)}!`, '!']

export function randomTemplate(random: Random): string {
  const value = () =>
    random.pick(['message', 'message | upper', 'message | json | json | json', 'run.id', 'message | lines | join("x")'])
  const many = random.pick([1, 10, 1000, 14_000])
  return `{{ ${value()} }}`.repeat(many)
}

/** Makes an agent that follows this procedure and starts it. Returns the answer to the start, or to the refused agent. */
async function startOnce({ ask, team }: Attacker, data: Record<string, unknown>, message: unknown): Promise<Reply> {
  const build = { config: { version: 'v2', data } }
  const made = await ask('POST', `/v2/teams/${team.teamId}/agents`, { name: 'Hostile', build })
  if (made.status !== 201) return made
  return ask('POST', `/v2/teams/${team.teamId}/runs`, { agent_id: made.body.agent_id, message })
}

const output = block('output', '{{ message }}')

const outputSchemas: Trick = {
  name: 'output schemas',
  everyMs: 200,
  atOnce: 3,
  prepare: async (attacker) => (n) => {
    const { random } = attacker
    const schema = [
      () => ({ type: 'string', pattern: random.pick(slowPatterns) }),
      () => doublingChain(10 + random.number(30)),
      () => randomSchema(random),
    ][n % 3]!()
    return startOnce(attacker, { input: output, output_schema: schema }, random.pick(longTexts))
  },
}

const forms: Trick = {
  name: 'forms',
  everyMs: 500,
  atOnce: 2,
  prepare: async (attacker) => async (n) => {
    const { ask, random } = attacker
    const field = n % 2 === 0 ? { type: 'string', pattern: random.pick(slowPatterns) } : doublingChain(25)
    const schema = JSON.stringify({ type: 'object', properties: { name: field } })
    const started = await startOnce(attacker, { input: block('ask id=who', `Who?\n${schema}`) }, 'go')
    if (started.status !== 201) return started
    const run = await ask('GET', `/v2/runs/${started.body.run_id}`)
    const request = run.body.pending_human_request
    if (!request) return run
    const values = { name: random.pick(longTexts) }
    return ask('POST', `/v2/runs/${started.body.run_id}/human-requests/${request.id}/respond`, { values })
  },
}

const templates: Trick = {
  name: 'templates',
  everyMs: 500,
  atOnce: 2,
  prepare: async (attacker) => (n) => {
    const text = n % 2 === 0 ? '{{ message | upper }}'.repeat(8000) : randomTemplate(attacker.random)
    return startOnce(attacker, { input: block('output', text) }, 'x'.repeat(n % 3 === 0 ? 1_000_000 : 1000))
  },
}

const zones: Trick = {
  name: 'time zones and cron expressions',
  everyMs: 50,
  atOnce: 2,
  async prepare({ ask, random, team }) {
    const made = await ask('POST', `/v2/teams/${team.teamId}/agents`, { name: 'Zones', instructions: output })
    const path = `/v2/agents/${made.body.agent_id}/schedules`
    const spelled = (zone: string) =>
      Array.from(zone, (letter) => (random.number(2) === 0 ? letter.toUpperCase() : letter.toLowerCase())).join('')
    const crons = ['0 0 30 2 *', '*/1 * * * *', '0 0 31 2,4,6,9,11 *', '59 23 29 2 1', `${'1,'.repeat(500)}1 * * * *`]
    return async () => {
      const cron = random.pick(crons)
      const timezone = spelled(random.pick(['europe/berlin', 'america/argentina/buenos_aires', 'asia/kathmandu']))
      const reply = await ask('POST', path, { frequency: 'custom', cron, timezone, enabled: false })
      if (reply.status === 200) await ask('DELETE', `${path}/${reply.body.schedule_id}`)
      return reply
    }
  },
}

const differences: Trick = {
  name: 'differences of large procedures',
  everyMs: 1000,
  atOnce: 1,
  async prepare({ ask, random, team }) {
    const text = () => Array.from({ length: 6000 }, () => random.word(20)).join('\n')
    const made = await ask('POST', `/v2/teams/${team.teamId}/agents`, { name: 'Diff', instructions: output + text() })
    const { agent_id, build_id } = made.body
    return async () => {
      const config = { version: 'v2', data: { input: output + text() } }
      const revision = await ask('POST', `/v2/agents/${agent_id}/revisions`, { config })
      if (revision.status !== 201) return revision
      return ask('GET', `/v2/agents/${agent_id}/revisions/${revision.body.build_id}/diff?against=${build_id}`)
    }
  },
}

export const evaluatedTricks: Trick[] = [outputSchemas, forms, templates, zones, differences]
