// What the editor draws and offers at every place of a procedure.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBlocks } from './blocks.ts'
import { completionsAt } from './completion.ts'
import type { Language } from './language.ts'
import { markLine } from './marks.ts'

const linesOf = (text: string) => text.split('\n')

test('blocks are found by their fences, outside of comments, and an open block reaches the end', () => {
  const text = '# A\n```http id=a\nGET x\n```\n<!--\n```bash\n```\n-->\n````file\n```\n````\n~~~ python\nx'
  assert.deepEqual(
    findBlocks(linesOf(text)).map(({ kind, openLine, closeLine, isClosed }) => [kind, openLine, closeLine, isClosed]),
    [
      ['http', 2, 4, true],
      ['file', 9, 11, true],
      ['python', 12, 13, false],
    ],
  )
  assert.deepEqual(findBlocks(linesOf('``` `inline` ```\n    ```http\ntext')), [])
})

test('a line of a block has its fence, its kind, its options, its verb and its values marked', () => {
  const text = '```http id=order if="{{ x }}"\nPOST https://a/{{ message.id }}?b={{ 1 }}\n\n{"a": \\{{ x }}}\n```'
  const lines = linesOf(text)
  const [block] = findBlocks(lines)
  assert.ok(block)
  const marked = (line: number) =>
    markLine(lines[line - 1] ?? '', line, block).map(({ from, to, as }) => `${as} ${lines[line - 1]?.slice(from, to)}`)
  assert.deepEqual(marked(1), ['fence ```', 'kind http', 'option id=', 'option if=', 'value {{ x }}'])
  assert.deepEqual(marked(2), ['verb POST', 'value {{ message.id }}', 'value {{ 1 }}'])
  assert.deepEqual(marked(4), [])
  assert.deepEqual(marked(5), ['fence ```'])
})

const word = (name: string) => ({ name, says: `${name} is this` })
const root = (name: string, fields: string[] = []) => ({ ...word(name), fields: fields.map(word), names_step: false })
const language: Language = {
  blocks: [
    {
      ...word('http'),
      name: 'http',
      options: [
        { ...word('id'), values: [] },
        { ...word('on_error'), values: ['fail', 'ask'] },
      ],
      verbs: [word('GET'), word('POST')],
      own_roots: [],
    },
    { ...word('output'), name: 'output', options: [{ ...word('if'), values: [] }], verbs: [], own_roots: [] },
    {
      ...word('html'),
      name: 'html',
      options: [{ ...word('if'), values: [] }],
      verbs: [],
      own_roots: [{ ...root('data'), names_step: true }],
    },
  ],
  filters: [
    { ...word('trim'), takes_value: false },
    { ...word('default'), takes_value: true },
  ],
  roots: [root('message'), { ...root('steps'), names_step: true }, root('run', ['id', 'number'])],
  step_fields: [word('output'), word('ok')],
}
const steps = [
  { id: 'order', line: 1 },
  { id: 'later', line: 90 },
]

/** The place is where the bar stands. */
function offered(text: string): string[] | undefined {
  const at = text.indexOf('¦')
  const whole = text.replace('¦', '')
  const found = completionsAt(whole, at, language, steps)
  return found?.options.map(({ label, apply }) => whole.slice(0, found.from).split('\n').at(-1) + (apply ?? label))
}

test('after a fence come the kinds of blocks, then options that are not there yet, then their values', () => {
  assert.deepEqual(offered('# T\n\n```ht¦'), ['```http', '```output', '```html'])
  assert.deepEqual(offered('```http ¦\n```'), ['```http id=', '```http on_error='])
  assert.deepEqual(offered('```http id=a o¦\n```'), ['```http id=a on_error='])
  assert.deepEqual(offered('```http on_error=¦\n```'), ['```http on_error=fail', '```http on_error=ask'])
  assert.equal(offered('```http id=a¦\n```'), undefined)
  assert.equal(offered('Some text ¦'), undefined)
  assert.equal(offered('```http\n```ht¦\n'), undefined, 'inside of a block no block begins')
})

test('in braces, and in if="…", come what values begin with, earlier steps, their fields, and filters', () => {
  const inBlock = (line: string) => offered(`\`\`\`http id=order\nGET x\n\`\`\`\n\`\`\`output\n${line}\n\`\`\``)
  assert.deepEqual(inBlock('{{ ¦'), ['{{ message', '{{ steps', '{{ run'])
  assert.deepEqual(inBlock('{{ steps.o¦ }}'), ['{{ steps.order'])
  assert.deepEqual(inBlock('{{ steps.order.¦'), ['{{ steps.order.output', '{{ steps.order.ok'])
  assert.equal(inBlock('{{ steps.order.output.¦'), undefined)
  assert.deepEqual(inBlock('{{ run.n¦'), ['{{ run.id', '{{ run.number'])
  assert.deepEqual(inBlock('{{ message.x | ¦'), ['{{ message.x | trim', '{{ message.x | default('])
  assert.equal(inBlock('{{ "in a ¦'), undefined)
  assert.equal(inBlock('{{ message }} ¦'), undefined)
  assert.equal(inBlock('\\{{ ¦'), undefined)
  assert.deepEqual(offered('```output if="run.¦"\n```'), ['```output if="run.id', '```output if="run.number'])
})

test('in an html block come what pages read, and in its if="…" what all blocks read', () => {
  const page = (line: string) => offered(`\`\`\`http id=order\nGET x\n\`\`\`\n\`\`\`html\n${line}\n\`\`\``)
  assert.deepEqual(page('<p>{{ ¦'), ['<p>{{ data'])
  assert.deepEqual(page('<p>{{ data.¦'), ['<p>{{ data.order'])
  assert.equal(page('<p>{{ data.order.¦'), undefined)
  assert.deepEqual(offered('```html if="¦"\n```'), ['```html if="message', '```html if="steps', '```html if="run'])
})

test('in the first line of a block come the words that it begins with', () => {
  assert.deepEqual(offered('```http\n¦\n```'), ['GET', 'POST'])
  assert.deepEqual(offered('```http\nP¦\n```'), ['GET', 'POST'])
  assert.equal(offered('```http\nGET x\nA¦\n```'), undefined)
  assert.equal(offered('```output\nP¦\n```'), undefined)
})
