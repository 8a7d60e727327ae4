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
    '{{ steps.missing.output }}',
    fence,
  ].join('\n')
  const { status, body, text } = await check({ input })
  assert.equal(status, 200, text)
  assert.equal(body.problems.length, 1)
  const { message, ...where } = body.problems[0]
  assert.deepEqual(where, { line: 9, column: 1, end_column: 27, severity: 'error', fix: null })
  assert.match(message, /There is no step "missing"/)
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
  const inputs = { schema: { type: 'object', properties: {} }, text_is_enough: true, is_cut: false }
  assert.deepEqual(empty.body, { problems: [], steps: [], steps_total: 0, inputs, config_problems: [] })
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

proves(
  'procedures.checkConfig',
  'the config is checked too, and no plugin is missed for a step, which brings its own',
  async () => {
    const input = `${fence}bash\nls\n${fence}\n\n${fence}wait\n1h\n${fence}`
    const config = { version: 'v2', data: { plugins: ['human', 'nonsense'], limits: { max_steps: -1 } } }
    const { status, body, text } = await check({ input, config })
    assert.equal(status, 200, text)
    assert.deepEqual(body.problems, [])
    const paths = body.config_problems.map(({ path }: { path: string }) => path)
    assert.deepEqual(paths.toSorted(), ['data.limits.max_steps', 'data.plugins'])
  },
)

/** The line of a problem with its fix made. */
async function fixed(input: string): Promise<string> {
  const { body } = await check({ input })
  const { fix } = body.problems[0]
  assert.ok(fix, body.problems[0].message)
  const line = input.split('\n')[fix.line - 1]!
  assert.equal(fix.title, `Use ${fix.text}`)
  return line.slice(0, fix.column - 1) + fix.text + line.slice(fix.end_column - 1)
}

const written = (info: string, text: string): string => `${fence}${info}\n${text}\n${fence}\n`

proves('procedures.fix', 'a word that is nearly right comes with a fix that makes it the right one', async () => {
  const rest = written('wait id=rest', '1s')
  const cases: [string, string][] = [
    [written('htpp', 'GET https://example.com/'), '```http'],
    [written('HTTP id=a', 'GET https://example.com/'), '```http id=a'],
    [written('sk id=a', 'Which?'), '```ask id=a'],
    [written('bash onerror=ask', 'ls'), '```bash on_error=ask'],
    [written('bash id=onerror onerror=ask', 'ls'), '```bash id=onerror on_error=ask'],
    [written('bash on_error=contine', 'ls'), '```bash on_error=continue'],
    [written('bash if="mesage.x"', 'ls'), '```bash if="message.x"'],
    [written('http', 'get https://example.com/'), 'GET https://example.com/'],
    [written('browser', 'opne https://example.com/'), 'open https://example.com/'],
    [written('case', 'compelte'), 'complete'],
    [written('output', 'first: {{ message.list | frist }}'), 'first: {{ message.list | first }}'],
    [written('output', '{{ mesage }} {{ message | frist }}'), '{{ message }} {{ message | frist }}'],
    [`${rest}${written('output', 'rst {{ steps.rst.output }}')}`, 'rst {{ steps.rest.output }}'],
    [`${rest}${written('output', '{{ steps["rst"].ok }}')}`, '{{ steps["rest"].ok }}'],
    [`${rest}${written('html', '<p>{{ data.rst }}</p>')}`, '<p>{{ data.rest }}</p>'],
  ]
  for (const [input, line] of cases) assert.equal(await fixed(input), line)
})

proves('procedures.fix', 'where nobody can know what was meant, there is no fix', async () => {
  const inputs = [
    written('bash colour=red', 'ls'),
    written('output', '{{ message | nonsense }}'),
    // near to two
    `${written('wait id=list', '1s')}${written('wait id=last', '1s')}${written('output', '{{ steps.lost.output }}')}`,
    // a later step cannot be read
    `${written('output if="steps.rst.ok"', 'x')}${written('wait id=rest', '1s')}`,
  ]
  for (const input of inputs) {
    const { body } = await check({ input })
    assert.deepEqual([body.problems.length, body.problems[0].fix], [1, null], input)
  }
})

proves(
  'procedures.fix',
  'only a block that is nearly called like a step is warned of, and it can be saved',
  async () => {
    const { body } = await check({ input: written('pyhton', '1') })
    assert.deepEqual([body.problems.length, body.problems[0].severity, body.steps_total], [1, 'warning', 0])
    const saved = await team.call('POST /v2/teams/:teamId/agents', {
      body: { name: 'Nearly', instructions: written('pyhton', '1') },
    })
    assert.equal(saved.status, 201)
    for (const language of ['json', 'sh', 'ts', 'toml', 'text', 'yaml', 'sql', 'css', 'jsx', 'xml', 'haml', ''])
      assert.deepEqual((await check({ input: written(language, 'x') })).body.problems, [], language)
  },
)

proves(
  'procedures.afterCrash',
  'each step says what becomes of it when a process dies, by the rule of its tool',
  async () => {
    const cases: [string, string | null][] = [
      [written('http', 'GET https://example.com/{{ message.id }}'), 'repeated'],
      [written('http', 'POST https://example.com/\n\n{"a": {{ message.a }}}'), 'asks'],
      [written('browser', 'open https://example.com/{{ message.id }}\nread'), 'repeated'],
      [written('browser', 'open https://example.com/\nclick Pay'), 'asks'],
      [
        written('tool name=http_request', '{"method": "PUT", "url": "https://example.com/{{ message.id }}"}'),
        'repeated',
      ],
      [written('tool name=http_request', '{"method": {{ message.method }}, "url": "https://example.com/"}'), 'asks'],
      [written('tool name=browser_do', '{}'), null],
      [written('tool name=crm__find', '{}'), null],
      [written('file path=a.txt', 'x'), 'kept'],
      [written('memory path=a.md', 'x'), 'kept'],
      [written('approve', 'Pay?'), 'kept'],
      [written('wait', '{{ message.until }}'), 'kept'],
      [written('output', 'x'), 'kept'],
    ]
    for (const [input, after] of cases) {
      const { body, text } = await check({ input })
      assert.deepEqual([body.problems.length, body.steps[0]?.after_crash], [0, after], text)
    }
  },
)

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
