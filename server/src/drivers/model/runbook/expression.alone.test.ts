// The language inside {{ }}: what it reads, what it refuses, and that data can never become more than data.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { evaluate } from '../../../base/expression/evaluate.ts'
import { ExpressionProblem, parseExpression, type Expression } from '../../../base/expression/expression.ts'
import { CannotRender } from '../../../base/expression/text.ts'
import { newScope, runbookRoots, WantsMemory, type RunbookScope } from './scope.ts'
import { proves } from '../../../../test/kit/proves.ts'

const parsed = (source: string): Expression => parseExpression(source, runbookRoots)

const run = {
  id: 'r',
  number: 7,
  title: null,
  agent_id: 'a',
  agent_name: 'Agent',
  source: 'api',
  created_at: '2026-01-01T00:00:00.000Z',
}

function scopeWith(message: unknown): RunbookScope {
  const scope = newScope({ message, case: { id: 'c1', data: 'x' }, run })
  scope.steps.set('fetch', { output: { items: [{ n: 1 }, { n: 2 }] }, error: null, ok: true, skipped: false })
  scope.steps.set('broken-one', { output: null, error: 'no', ok: false, skipped: false })
  scope.answers.set('Which region?', 'EU')
  scope.answers.set('where', { 'Which region?': 'EU' })
  scope.memory.set('notes/a.md', 'remember')
  scope.memory.set('gone.md', null)
  return scope
}

const message = {
  name: 'Ada',
  amount: 12.5,
  tags: ['a', 'b', 'c'],
  empty: '',
  nothing: null,
  text: 'one\r\ntwo\n',
  json: '{"a": [1]}',
  größe: 3,
  in: 'word',
  'strange key': true,
}
const value = (source: string): unknown => evaluate(parsed(source), scopeWith(message))

proves('runbook.expressions', 'paths, literals, comparisons and filters give what they say', () => {
  const cases: [string, unknown][] = [
    ['message.name', 'Ada'],
    ['message["strange key"]', true],
    ['message.größe', 3],
    ['message.in', 'word'],
    ['message.tags[1]', 'b'],
    ['message.tags[5].deep.er', null],
    ['message.name.length', null],
    ['steps.fetch.output.items[0].n', 1],
    ['steps["fetch"].ok', true],
    ['steps.broken-one.error', 'no'],
    ['steps.fetch.skipped', false],
    ['answers["Which region?"]', 'EU'],
    ['answers.where["Which region?"]', 'EU'],
    ['answers.nobody', null],
    ['memory["notes/a.md"]', 'remember'],
    ['memory["gone.md"] | default("none")', 'none'],
    ['run.number', 7],
    ['case.id', 'c1'],
    ['"a\\n\\"b\\u0041"', 'a\n"bA'],
    ["'single'", 'single'],
    ['-1.5e2', -150],
    ['true and null', null],
    ['false or "x"', 'x'],
    ['not message.empty', true],
    ['not not message.name', true],
    ['message.amount > 12 and message.amount <= 12.5', true],
    ['message.name < "B"', true],
    ['message.nothing < 3', false],
    ['message.tags == message.tags', true],
    ['(1 == 1) == true', true],
    ['"b" in message.tags', true],
    ['"b" not in message.tags', false],
    ['message.name contains "da"', true],
    ['message contains "name"', true],
    ['message.tags | length == 3', true],
    ['message.nothing | length', 0],
    ['"é😀" | length', 2],
    ['message.name | upper | lower', 'ada'],
    ['" a " | trim', 'a'],
    ['message.text | lines', ['one', 'two']],
    ['message.tags | join(", ")', 'a, b, c'],
    ['message.tags | first', 'a'],
    ['message.tags | last', 'c'],
    ['message.missing | first | default(0)', 0],
    ['message.json | parse', { a: [1] }],
    ['(message.json | parse).a[0]', 1],
    ['" 12.50 " | number', 12.5],
    ['message.tags | json', '["a","b","c"]'],
    ['message.missing', null],
    ['message.tags[message.missing | default(2)]', 'c'],
  ]
  for (const [source, expected] of cases) assert.deepEqual(value(source), expected, source)
  assert.deepEqual(evaluate(parsed('message | sum'), scopeWith([1, 2.5])), 3.5)
})

proves('runbook.expressions', 'what is not an expression is refused with a sentence', () => {
  const cases: [string, RegExp][] = [
    ['', /empty/],
    ['message.', /A name is missing/],
    ['message..a', /A name is missing/],
    ['message = 1', /Write "=="/],
    ['message && case', /Write "and"/],
    ['message || case', /Write "or"/],
    ['!message', /Write "not"/],
    ['other.x', /"other" is not known. An expression reads message, case, steps, answers, memory, run/],
    ['message | shout', /There is no filter "shout". There are: default/],
    ['message | default', /needs a value/],
    ['(message', /A "\)" is missing/],
    ['message)', /"\)" cannot stand here/],
    ['"open', /never closed/],
    ['"\\q"', /means nothing in a text/],
    ['12abc', /cannot stand here/],
    ['1e999', /too large/],
    ['memory', /Say which memory file/],
    ['steps[message.id]', /Name the step/],
    ['message; process.exit()', /cannot stand here/],
    ['message.a(1)', /cannot stand here/],
    ['('.repeat(40), /nested deeper/],
    ['x'.repeat(3000), /longer than 2000/],
  ]
  for (const [source, sentence] of cases) {
    assert.throws(
      () => parsed(source),
      (error) => error instanceof ExpressionProblem && sentence.test(error.message),
      source,
    )
  }
})

proves('runbook.expressionsSafe', 'only own properties of data can be read', () => {
  for (const path of [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'tags.push',
    'tags.map.constructor',
    'name.at',
  ]) {
    assert.equal(value(`message.${path}`), null, path)
  }
  for (const root of [
    'steps.constructor',
    'answers.constructor',
    'answers.__proto__',
    'run.constructor',
    'run["__proto__"]',
  ]) {
    assert.equal(value(root), null, root)
  }
  const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as unknown
  assert.equal(evaluate(parsed('message.__proto__.a'), scopeWith(own)), 1)
})

proves('runbook.expressionsSafe', 'values that do not fit are reported as such, and none can fill the memory', () => {
  const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as unknown
  const cases: [string, unknown, RegExp][] = [
    ['message < 3', '2', /no order.*\| number/],
    ['message | number', 'abc', /is not a number/],
    ['message | upper', 3, /takes a text, not 3/],
    ['message | join(",")', 'a', /takes a list/],
    ['message | sum', [1, 'a'], /"a" is none/],
    ['message | parse', '{', /is not JSON/],
    ['message | join(message | json)', Array.from({ length: 2000 }, () => 'xxxx'), /longer than/],
    ['message | json', deep, /nested too deeply/],
    ['message == message[0]', deep, /nested too deeply/],
    ['memory[message]', 3, /must be a text/],
  ]
  for (const [source, given, sentence] of cases) {
    const read = (): unknown => evaluate(parsed(source), scopeWith(given))
    assert.throws(read, (error) => error instanceof CannotRender && sentence.test(error.message), source)
  }
  assert.throws(
    () => value('memory["other.md"]'),
    (error) => error instanceof WantsMemory && error.path === 'other.md',
  )
  assert.equal(value('message.name or memory["other.md"]'), 'Ada')
})

proves(
  'runbook.expressionsSafe',
  'any text is an expression or is refused, and any expression gives a value or a sentence',
  () => {
    const word = fc.constantFrom(
      ...'message steps.fetch memory["a"] answers null 1 "x" . [ ] ( ) | == < and or not in default json first 0 , ! é'.split(
        ' ',
      ),
    )
    const source = fc.oneof(
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
      fc.string({ maxLength: 30 }),
    )
    fc.assert(
      fc.property(
        source,
        fc.json().map((text) => JSON.parse(text) as unknown),
        (text, given) => {
          try {
            evaluate(parsed(text), scopeWith(given))
          } catch (error) {
            if (error instanceof WantsMemory) return
            assert.ok(error instanceof ExpressionProblem || error instanceof CannotRender, String(error))
            assert.ok(error.message.length > 5)
          }
        },
      ),
      { numRuns: 1000 },
    )
  },
)
