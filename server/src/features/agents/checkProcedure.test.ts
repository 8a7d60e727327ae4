// A procedure checked as it is typed: its problems, its steps, and what its config lacks.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp()
const team = await seedTeam(service)

const check = (body: object) => team.call('POST /v2/teams/:teamId/procedure-checks', { body })
const fence = '```'

proves('procedures.check', 'problems come with their line and its text, and steps with what they call', async () => {
  const input = [
    '# Pay invoices',
    `${fence}bash id=list`,
    'ls',
    fence,
    `  ${fence}approve if="steps.list.ok" retry=2`,
    'Pay {{ steps.list.output }}?',
    fence,
    `${fence}output`,
    '{{ steps.lost.output }}',
    fence,
  ].join('\n')
  const { status, body, text } = await check({ input })
  assert.equal(status, 200, text)
  assert.equal(body.problems.length, 1)
  const { message, ...where } = body.problems[0]
  assert.deepEqual(where, { line: 9, column: 1, end_column: 24, severity: 'error' })
  assert.match(message, /There is no step "lost"/)
  assert.equal(body.steps_total, 3)
  const shown = body.steps.map((step: Record<string, unknown>) => [
    step['id'],
    step['line'],
    step['kind'],
    step['tool'],
  ])
  assert.deepEqual(shown, [
    ['list', 2, 'bash', 'sandbox_exec'],
    ['step_2', 5, 'approve', 'human_approve'],
    ['step_3', 8, 'output', null],
  ])
  const { is_conditional, retry, reads, on_error } = body.steps[1]
  assert.deepEqual([is_conditional, retry, reads, on_error], [true, 2, ['list'], 'fail'])
  const empty = await check({ input: '' })
  assert.deepEqual(empty.body, { problems: [], steps: [], steps_total: 0, config_problems: [] })
})

proves('procedures.check', 'what is checked without a problem can be saved, and what has one cannot', async () => {
  const inputs = [
    `${fence}output\nDone.\n${fence}`,
    `${fence}output\nDone.`,
    `${fence}tool\n{}\n${fence}`,
    'Only words.',
  ]
  for (const input of inputs) {
    const { body } = await check({ input })
    const saved = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Checked', instructions: input } })
    assert.equal(saved.status, body.problems.length === 0 ? 201 : 400, input)
  }
})

proves('procedures.checkConfig', 'the config is checked too, and a plugin that a step needs', async () => {
  const input = `${fence}bash\nls\n${fence}\n\n${fence}wait\n1h\n${fence}`
  const config = { version: 'v2', data: { plugins: ['human', 'nonsense'], limits: { max_steps: -1 } } }
  const { status, body, text } = await check({ input, config })
  assert.equal(status, 200, text)
  assert.deepEqual(body.problems.map(({ line, severity }: Record<string, unknown>) => [line, severity])[0], [
    1,
    'warning',
  ])
  assert.match(body.problems[0].message, /needs the plugin sandbox/)
  const paths = body.config_problems.map(({ path }: { path: string }) => path)
  assert.deepEqual(paths.toSorted(), ['data.limits.max_steps', 'data.plugins'])
})

/** How many rows each table has, except for the one row of each credential that says when it was used last. */
async function countRows(): Promise<Record<string, number>> {
  const { sql } = service.context.db
  const [row] = await sql<{ counts: Record<string, number> }>`
    select jsonb_object_agg(t.name, t.rows) as counts from (
      select format('%I.%I', schemaname, tablename) as name,
        (xpath('//n/text()', query_to_xml(format('select count(*) as n from %I.%I', schemaname, tablename), false, false, '')))[1]::text::int as rows
      from pg_tables where schemaname not in ('pg_catalog', 'information_schema') and tablename <> 'credential_uses') t`
  return row!.counts
}

proves(
  'procedures.checkRows',
  'a check leaves nothing behind, however often it is made and whether it is refused',
  async () => {
    const before = await countRows()
    assert.ok(Object.keys(before).length > 50 && before['public.audit_log'] !== undefined)
    for (let n = 0; n < 20; n++) assert.equal((await check({ input: `${fence}output\n${n}\n${fence}` })).status, 200)
    assert.equal((await check({ input: 7 })).status, 400)
    assert.equal((await check({ input: '', config: { version: 'v2', data: { plugins: ['nonsense'] } } })).status, 200)
    assert.deepEqual(await countRows(), before)
    // who sends a key gets the first answer again, as with every POST
    const body = { input: `${fence}output\nOnce\n${fence}` }
    const keyed = () => team.call('POST /v2/teams/:teamId/procedure-checks', { body, idempotencyKey: 'asked once' })
    const first = await keyed()
    assert.deepEqual([(await keyed()).headers['idempotency-replayed'], (await keyed()).text], ['true', first.text])
    assert.deepEqual(await countRows(), {
      ...before,
      'public.idempotency_keys': before['public.idempotency_keys']! + 1,
    })
  },
)

proves('procedures.checkBounds', 'too much text is refused, and many problems and steps are cut', async () => {
  assert.equal((await check({ input: 'x'.repeat(256 * 1024 + 1) })).status, 400)
  assert.equal((await check({})).status, 400)
  const wide = await check({ input: 'ü'.repeat(200 * 1024) })
  assert.match(wide.body.problems[0].message, /larger than 256 KiB/)
  const many = await check({ input: `${fence}wait\n1h\n${fence}\n`.repeat(1500) })
  assert.deepEqual([many.body.steps.length, many.body.steps_total], [1000, 1500])
  const wrong = await check({ input: `${fence}tool\n${fence}\n`.repeat(1500) })
  assert.equal(wrong.body.problems.length, 100)
})
