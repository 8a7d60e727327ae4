// The words of procedures: every word that is offered parses, and every word that parses is offered.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import type { BlockKind } from '../../drivers/model/runbook/block.ts'
import { parseRunbook } from '../../drivers/model/runbook/parse.ts'
import { getProcedureLanguage } from './getProcedureLanguage.ts'

const service = await testApp()
const team = await seedTeam(service)
const { blocks, filters, roots, step_fields } = await typedClient(service, team).send(getProcedureLanguage, {})

const fence = '```'
const written = (info: string, body: string): string => `${fence}${info}\n${body}\n${fence}\n`
const problemsOf = (markdown: string): string[] => parseRunbook(markdown).problems.map(({ message }) => message)

/** The least that a block of each kind must have: options, and a body. */
const least: Record<BlockKind, { options?: string; body: string }> = {
  agent: { options: 'name=Other', body: 'Go.' },
  approve: { body: 'Pay?' },
  ask: { body: 'Which?\n- A\n- B' },
  bash: { body: 'ls' },
  browser: { body: 'open https://example.com/' },
  case: { body: 'create queue=refunds\nA title' },
  file: { options: 'path=a.txt', body: 'x' },
  html: { body: '<p>x</p>' },
  http: { body: 'GET https://example.com/' },
  js: { body: '1' },
  memory: { options: 'path=a.md', body: 'x' },
  output: { body: 'x' },
  python: { body: '1' },
  tool: { options: 'name=sandbox_list_files', body: '{}' },
  wait: { body: '1s' },
}

/** A value of each option that takes any. */
const anyValue: Record<string, string> = {
  connection: 'crm',
  header: 'Short',
  id: 'fetch',
  if: '"message"',
  name: 'other',
  path: 'b.txt',
  queue: 'refunds',
  retry: '3',
  timeout: '30s',
  title: 'Late',
}

/** Whether the parser takes an option, with every value that is given for it. */
function takes(kind: BlockKind, option: string, values: string[]): string[] {
  const { options = '', body } = least[kind]
  const others = options
    .split(' ')
    .concat(option === 'on_timeout' ? ['timeout=1h'] : [])
    .filter((one) => !one.startsWith(`${option}=`))
  const given = values.length > 0 ? values : [anyValue[option] ?? 'x']
  return given.flatMap((value) => problemsOf(written(`${kind} ${others.join(' ')} ${option}=${value}`, body)))
}

proves('procedures.language', 'a block of each kind takes the options that are listed for it, and no others', () => {
  assert.deepEqual(blocks.map(({ name }) => name).toSorted(), Object.keys(least).toSorted())
  const everyOption = new Set(blocks.flatMap(({ options }) => options.map(({ name }) => name)))
  assert.ok(everyOption.size > 8)
  for (const { name: kind, options } of blocks) {
    const { blocks: read } = parseRunbook(written(`${kind} ${least[kind].options ?? ''}`, least[kind].body))
    assert.equal(read[0]?.kind, kind)
    for (const option of everyOption) {
      const listed = options.find(({ name }) => name === option)
      const problems = takes(kind, option, listed?.values ?? [])
      if (listed) assert.deepEqual(problems, [], `${kind} ${option}=`)
      else assert.match(problems.join('\n'), new RegExp(`A ${kind} block has no ${option}=`))
    }
  }
})

proves('procedures.language', 'an option with listed values takes no other value', () => {
  const closed = blocks.flatMap(({ name, options }) =>
    options.filter(({ values }) => values.length > 0).map((option) => ({ kind: name, option })),
  )
  assert.ok(closed.length > 10)
  for (const { kind, option } of closed)
    assert.match(takes(kind, option.name, ['nonsense']).join('\n'), /=nonsense is not known here/)
})

proves('procedures.language', 'each listed word begins a line of its block, and another word does not', () => {
  const withVerbs = blocks.filter(({ verbs }) => verbs.length > 0)
  assert.deepEqual(
    withVerbs.map(({ name }) => name),
    ['browser', 'case', 'http'],
  )
  for (const { name, verbs } of withVerbs) {
    const unknown = /is not a browser action|cannot be done to a case|is not an HTTP method/
    for (const verb of verbs) assert.doesNotMatch(problemsOf(written(name, `${verb.name} x`)).join('\n'), unknown)
    assert.match(problemsOf(written(name, 'nonsense x')).join('\n'), unknown)
  }
})

proves('procedures.language', 'filters and what values begin with are those that an expression takes', () => {
  const inOutput = (expression: string): string => problemsOf(written('output', `{{ ${expression} }}`)).join('\n')
  for (const { name, takes_value } of filters) {
    assert.equal(inOutput(`message | ${name}${takes_value ? '("x")' : ''}`), '')
    if (takes_value) assert.match(inOutput(`message | ${name}`), /needs a value/)
  }
  const [, all] = /There are: (.*?)\. /.exec(inOutput('message | nonsense'))!
  assert.deepEqual(
    all!.split(', '),
    filters.map(({ name }) => name),
  )
  const [, known] = /An expression reads (.*?);/.exec(inOutput('nonsense'))!
  assert.deepEqual(
    known!.split(', '),
    roots.map(({ name }) => name),
  )
  const step = written('wait id=rest', '1s')
  for (const { name, names_step, fields } of roots) {
    // secrets stand in other blocks than an output
    if (name === 'secrets') continue
    const below = names_step ? '.rest' : name === 'memory' ? '["a.md"]' : ''
    assert.deepEqual(problemsOf(`${step}${written('output', `{{ ${name}${below} }}`)}`), [])
    for (const field of fields) assert.equal(inOutput(`${name}.${field.name}`), '')
  }
  for (const { name } of step_fields)
    assert.deepEqual(problemsOf(`${step}${written('output', `{{ steps.rest.${name} }}`)}`), [])
  const html = blocks.find(({ name }) => name === 'html')!
  for (const { name } of html.own_roots)
    assert.deepEqual(problemsOf(`${step}${written('html', `<p>{{ ${name}.rest }}</p>`)}`), [])
})

proves('procedures.language', 'the guide of runbooks uses no word that is not offered', async () => {
  const guide = await readFile(new URL('../../../../docs/guides/runbooks.md', import.meta.url), 'utf8')
  const used = [...guide.matchAll(/^```(\w+)(.*)$/gm)].filter(([, kind]) => blocks.some(({ name }) => name === kind))
  assert.ok(used.length > 20)
  for (const [, kind, rest] of used) {
    const options = new Set(blocks.find(({ name }) => name === kind)!.options.map(({ name }) => name))
    for (const [, option] of rest!.matchAll(/ ([a-z_]+)=/g)) assert.ok(options.has(option!), `${kind} ${option}=`)
  }
})

proves('procedures.language', 'a caller who has the words of this version gets a 304 instead of them', async () => {
  const first = await service.app.inject({
    url: '/v2/procedure-language',
    headers: { authorization: `Bearer ${team.key}` },
  })
  const { etag, 'cache-control': kept } = first.headers
  assert.deepEqual([first.statusCode, kept], [200, 'private, no-cache'])
  const headers = { authorization: `Bearer ${team.key}`, 'if-none-match': String(etag) }
  const again = await service.app.inject({ url: '/v2/procedure-language', headers })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  const stranger = await service.app.inject({
    url: '/v2/procedure-language',
    headers: { 'if-none-match': String(etag) },
  })
  assert.equal(stranger.statusCode, 401)
})
