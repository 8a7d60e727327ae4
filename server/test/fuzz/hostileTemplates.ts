// Procedures whose expressions would fill the memory or take for ever, each with a message that triggers it; and random templates.
import * as fc from 'fast-check'

export interface TemplateAttack {
  name: string
  procedure: string
  message: unknown
}

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const megabyte = 'x'.repeat(1_000_000)
const repeated = (hole: string, times: number) => `{{ ${hole} }}`.repeat(times)

/** The whole procedure is below 256 KiB, so each can be saved. */
export const templateAttacks: TemplateAttack[] = [
  {
    name: 'a megabyte, 12,000 times',
    procedure: block('output', repeated('message | upper', 12_000)),
    message: megabyte,
  },
  {
    name: 'a megabyte read 8,000 times for its length',
    procedure: block('output', repeated('message | upper | length', 8000)),
    message: megabyte,
  },
  {
    name: 'a text that doubles with every filter',
    procedure: block('output', `{{ message${' | json'.repeat(60)} }}`),
    message: '"'.repeat(1000),
  },
  {
    name: 'a list joined with itself',
    procedure: block('output', '{{ message.list | join(message.list | json) }}'),
    message: { a: 1, list: Array.from({ length: 20_000 }, () => 'x') },
  },
  {
    name: 'lines joined with a long text',
    procedure: block('output', '{{ message | lines | join(message) }}'),
    message: '\n'.repeat(500_000),
  },
  {
    name: 'a search that takes the product of two lengths',
    procedure: block('output', repeated('message.whole contains message.part', 500)),
    message: { whole: 'a'.repeat(500_000), part: `${'a'.repeat(300)}b${'a'.repeat(300)}` },
  },
  {
    name: 'conditions of steps that are all skipped',
    procedure: `${block('output if="message | upper | length == 1"', 'x').repeat(4000)}${block('output', 'end')}`,
    message: megabyte,
  },
  {
    name: 'large values compared again and again',
    procedure: block('output', repeated('message.a == message.b', 5000)),
    message: { a: Array.from({ length: 50_000 }, (_, n) => n), b: Array.from({ length: 50_000 }, (_, n) => n) },
  },
  {
    name: 'JSON text read again and again, and failures that are passed over',
    procedure:
      block('wait if="message | parse | length == -1" on_error=continue', '1s').repeat(3000) + block('output', 'end'),
    message: `[${'{},'.repeat(200_000)}{}]x`,
  },
]

const path = fc.constantFrom('message', 'message.a', 'message.list', 'run.id', 'steps', 'answers', 'case')
const filters = 'upper lower trim lines parse json length first last sum number'.split(' ')
const filter = fc.constantFrom(...filters, 'join(", ")', 'join(message | json)', 'default(message)')

/** Any expression of the language; most of them make no sense. */
export const anyExpression: fc.Arbitrary<string> = fc
  .tuple(path, fc.array(filter, { maxLength: 6 }), fc.constantFrom('', ' == message', ' contains "a"', ' in message'))
  .map(([from, applied, comparison]) => [from, ...applied].join(' | ') + comparison)

export const anyTemplate: fc.Arbitrary<string> = fc
  .tuple(anyExpression, fc.constantFrom(1, 2, 50, 2000))
  .map(([expression, times]) => repeated(expression, times))

export const anyMessage: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
  'x',
  '"\\'.repeat(20_000),
  '\n'.repeat(50_000),
  '[1,2,3]',
  { a: 'a'.repeat(100_000), list: Array.from({ length: 10_000 }, (_, n) => n) },
  { list: Array.from({ length: 3000 }, () => 'ab'.repeat(50)) },
)
