// Content of a hostile tenant that the service evaluates, over HTTP: each attack ends in a clear answer, and the service continues.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { cacheSizes } from '../src/base/boundedCache.ts'
import { costlySchemas, doublingChain, refusedSchemas } from './fuzz/hostileSchemas.ts'
import { templateAttacks } from './fuzz/hostileTemplates.ts'
import { drainRuns, readRun, seedAgent, startRun } from './kit/runs.ts'
import { seedTeam, type TestTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { proves } from './kit/proves.ts'

const service = await testApp({ config: { runMemoryBytes: 8 * 1024 ** 2 } })
const { sql } = service.context.db

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const echo = block('output', '{{ message }}')
const slowText = `${'a'.repeat(60)}!`

async function endOf(team: TestTeam, agentId: string, message: unknown) {
  const runId = await startRun(team, agentId, { message })
  await drainRuns(service)
  return readRun(team, runId)
}

/** The service is not only alive: it does its work. */
async function assertAtWork(): Promise<void> {
  const other = await seedTeam(service)
  const run = await endOf(other, await seedAgent(other, echo), 'still here')
  assert.deepEqual([run.status, run.output], ['completed', 'still here'])
}

const makeAgent = (team: TestTeam, data: Record<string, unknown>) =>
  team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Hostile', build: { config: { version: 'v2', data } } } })

suite('an output schema', () => {
  proves(
    'bounds.outputSchema',
    'whose pattern would hang an engine that backtracks fails the run, and the service continues',
    async () => {
      const team = await seedTeam(service)
      const agentId = await seedAgent(team, echo, { output_schema: { type: 'string', pattern: '^(a+)+$' } })
      const run = await endOf(team, agentId, slowText)
      assert.deepEqual([run.status, run.error.code], ['failed', 'output_invalid'])
      assert.match(run.error.message, /must match the pattern/)
      assert.equal((await endOf(team, agentId, 'a'.repeat(60))).status, 'completed')
      await assertAtWork()
    },
  )

  proves(
    'bounds.outputSchema',
    'whose parts double with every level fails the run as one that takes too long',
    async () => {
      const team = await seedTeam(service)
      for (const levels of [24, 60]) {
        const run = await endOf(team, await seedAgent(team, echo, { output_schema: doublingChain(levels) }), 'text')
        assert.deepEqual([run.status, run.error.code], ['failed', 'output_invalid'])
        assert.match(run.error.message, /takes too long to check/)
      }
      await assertAtWork()
    },
  )

  proves(
    'bounds.savedSchemas',
    'that cannot be used is refused with the place of each problem, wherever a config is taken',
    async () => {
      const team = await seedTeam(service)
      const output_schema = { properties: { a: { pattern: '(' }, b: { $ref: '#/no' }, c: { pattern: '(?=x)y' } } }
      const made = await makeAgent(team, { input: echo, output_schema })
      assert.equal(made.status, 400)
      const places = [
        /data\.output_schema\/properties\/a\/pattern/,
        /\/properties\/b\/\$ref/,
        /\/properties\/c\/pattern/,
      ]
      for (const place of places) assert.match(made.body.message, place)
      for (const { schema } of refusedSchemas) {
        const { status } = await makeAgent(team, { input: echo, output_schema: schema })
        assert.equal(status, 400, JSON.stringify(schema).slice(0, 200))
      }
      const agentId = await seedAgent(team, echo)
      const config = { version: 'v2', data: { input: echo, output_schema } }
      const revision = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { config } })
      assert.equal(revision.status, 400, revision.text)
      assert.match(revision.body.message, /output_schema\/properties\/a\/pattern/)
    },
  )

  proves(
    'bounds.outputSchema',
    'that an older build brought along cannot harm either: its runs fail and say why',
    async () => {
      const team = await seedTeam(service)
      const schemas = [{ pattern: '^(?=a)' }, { $ref: '#' }, { enum: Array.from({ length: 20_000 }, (_, n) => n) }]
      for (const schema of schemas) {
        const agentId = await seedAgent(team, echo)
        const draft = await team.call(`POST /v2/agents/${agentId}/revisions`, {
          body: { config: { version: 'v2', data: { input: echo } } },
        })
        assert.equal(draft.status, 201, draft.text)
        const { build_id } = draft.body
        await sql`
        update builds set config = jsonb_set(config, '{data,output_schema}', ${JSON.stringify(schema)}::jsonb)
        where id = ${build_id}`
        const runId = await startRun(team, agentId, { message: 'text', build_id })
        await drainRuns(service)
        const run = await readRun(team, runId)
        assert.deepEqual([run.status, run.error.code], ['failed', 'output_invalid'])
        assert.match(run.error.message, /the schema cannot be used/)
      }
    },
  )
})

suite('a form', () => {
  proves(
    'bounds.forms',
    'whose schema would hang an engine that backtracks answers at once, and can be cancelled',
    async () => {
      const team = await seedTeam(service)
      const attacks = costlySchemas.filter(({ value }) => typeof value === 'string' && value.length < 5000)
      assert.ok(attacks.length > 5)
      for (const { name, schema, value } of attacks) {
        const { $defs, ...it } = schema
        const form = JSON.stringify({ type: 'object', properties: { it }, ...($defs !== undefined && { $defs }) })
        const runId = await startRun(team, await seedAgent(team, block('ask id=it', `Fill it in\n${form}`)))
        await drainRuns(service)
        const { body } = await team.call(`GET /v2/runs/${runId}`)
        const path = `/v2/runs/${runId}/human-requests/${body.pending_human_request.id}`
        const answer = await team.call(`POST ${path}/respond`, { body: { values: { it: value } } })
        assert.ok([200, 400, 409].includes(answer.status), `${name}: ${answer.text}`)
        if ($defs !== undefined) assert.match(answer.body.message, /cannot be used \(it takes too long/, name)
        if (it['pattern'] === '^(a+)+$') assert.match(answer.body.message, /values\.it must match the pattern/)
        if (answer.status === 200) continue
        const cancelled = await team.call(`POST ${path}/cancel`)
        assert.equal(cancelled.status, 200, cancelled.text)
      }
      await assertAtWork()
    },
  )

  proves('bounds.savedSchemas', 'that cannot be used is refused when its procedure is saved', async () => {
    const team = await seedTeam(service)
    const form = '{"type": "object", "properties": {"a": {"pattern": "("}, "b": {"$ref": "#/no"}}}'
    const made = await makeAgent(team, { input: block('ask', `Fill it in\n${form}`) })
    assert.equal(made.status, 400)
    assert.match(made.body.message, /form schema cannot be used: \/properties\/a\/pattern/)
    assert.match(made.body.message, /\/properties\/b\/\$ref points to nothing/)
  })
})

suite('a procedure', () => {
  proves(
    'bounds.templates',
    'whose templates would fill the memory fails its run in one turn, and the service continues',
    async () => {
      const team = await seedTeam(service)
      // bounds.alone.test.ts of the runbook makes the others, which need no service
      for (const { name, procedure, message } of templateAttacks.slice(0, 2)) {
        const run = await endOf(team, await seedAgent(team, procedure), message)
        assert.equal(run.status, 'failed', name)
        assert.match(run.error.message, /^Step \S+ \(line \d+\)/, name)
      }
      await assertAtWork()
    },
  )

  proves('bounds.runMemory', 'whose results take more memory than a run may have ends with limit_reached', async () => {
    const team = await seedTeam(service)
    const write = block('memory path=large.md', '{{ message }}')
    const read = (n: number) => block(`tool id=read${n} name=memory_read`, '{"path": "large.md"}')
    const reads = Array.from({ length: 80 }, (_, n) => read(n)).join('\n')
    const agentId = await seedAgent(team, `${write}\n${reads}\n${block('output', 'all of them')}`)
    const run = await endOf(team, agentId, 'x'.repeat(60_000))
    assert.deepEqual([run.status, run.error.code], ['failed', 'limit_reached'])
    assert.match(run.error.message, /take \d+ MiB of memory, and it may have 8 MiB \(RUNYARD_RUN_MEMORY_BYTES\)/)
    const small = await endOf(team, agentId, 'x'.repeat(1000))
    assert.deepEqual([small.status, small.output], ['completed', 'all of them'])
  })
})

/** One of the many spellings of one time zone. */
const spelled = (n: number) =>
  Array.from('america/argentina/buenos_aires', (letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join('')

suite('a cache', () => {
  proves(
    'bounds.caches',
    'of time zones and cron expressions stays small, however many spellings callers send',
    async () => {
      const team = await seedTeam(service)
      const agentId = await seedAgent(team, echo)
      const path = `/v2/agents/${agentId}/schedules`
      for (let n = 0; n < 30; n += 1) {
        const body = {
          frequency: 'custom',
          cron: `${n} 0 1 1 *`,
          timezone: spelled(n * 7),
          message: 'x',
          enabled: false,
        }
        const made = await team.call(`POST ${path}`, { body })
        assert.ok(made.status < 300, made.text)
      }
      const kept = new Map(cacheSizes().map((cache) => [cache.name, cache.entries]))
      // the spellings of one zone are one entry
      assert.ok(kept.get('time zones')! <= 3, String(kept.get('time zones')))
      assert.ok(kept.get('cron expressions')! <= 1000)
    },
  )

  proves(
    'bounds.caches',
    'of builds and procedures holds a bounded size, however large the procedures are',
    async () => {
      const team = await seedTeam(service)
      for (let n = 0; n < 14; n += 1) {
        const run = await endOf(team, await seedAgent(team, `${n} ${'word '.repeat(40_000)}\n\n${echo}`), 'x')
        assert.equal(run.status, 'completed')
      }
      const kept = cacheSizes()
      for (const [name, most] of [
        ['procedures', 2_000_000],
        ['builds', 64 * 1024 ** 2],
        ['startable agents', 64 * 1024 ** 2],
      ] as const) {
        const sizes = kept.filter((cache) => cache.name === name).map(({ size }) => size)
        assert.ok(
          sizes.some((size) => size > 500_000),
          `${name}: ${sizes.join(', ')}`,
        )
        assert.ok(
          sizes.every((size) => size <= most),
          `${name}: ${sizes.join(', ')}`,
        )
      }
    },
  )
})
