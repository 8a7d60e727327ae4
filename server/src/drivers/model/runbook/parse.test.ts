// How a procedure is read: which fences are steps, and what is reported about those that are malformed.
import assert from 'node:assert/strict'
import { parseRunbook } from './parse.ts'
import { proves } from '../../../../test/kit/proves.ts'

const fence = '```'
const block = (info: string, body = ''): string => `${fence}${info}\n${body}\n${fence}\n`
const steps = (markdown: string): string[] => {
  const { blocks, problems } = parseRunbook(markdown)
  assert.deepEqual(problems, [])
  return blocks.map(({ id, kind, line }) => `${id} ${kind} ${line}`)
}
const told = (markdown: string): string[] =>
  parseRunbook(markdown).problems.map(({ line, message }) => `${line}: ${message}`)

proves('runbook.blocks', 'fences are read by the rules of CommonMark, and only known words make a step', () => {
  const sections = [
    ['# Refunds', 'Inline ```bash code``` is prose, and so is a paragraph.'],
    ['```sh', 'echo not a step', '```'],
    ['   ```bash id=indented', '   echo one', '     echo two', '   ```'],
    ['````python', '"""', '```', '"""', '`````'],
    ['~~~js id=tilde if="message.note == \'`\'"', '1', '~~~'],
    ['<!--', '```bash', 'echo switched off', '```', '-->'],
    ['> ```bash', '> quoted', '> ```'],
    ['```', '```bash', '```'],
    ['```output', 'done', '```   '],
  ]
  const markdown = sections.flat().join('\r\n')
  assert.deepEqual(steps(markdown), ['indented bash 6', 'step_2 python 10', 'tilde js 15', 'step_4 output 29'])
  assert.deepEqual(steps(''), [])
  assert.deepEqual(steps('Prose only.'), [])
})

proves('runbook.blocks', 'an id that is not given comes from the order, and never collides with a given one', () => {
  const markdown = [
    block('wait id=step_2', '1s'),
    block('wait', '1s'),
    block('wait id=step_3', '1s'),
    block('wait', '1s'),
  ]
  assert.deepEqual(steps(markdown.join('')), ['step_2 wait 1', 'step_2_ wait 4', 'step_3 wait 7', 'step_4 wait 10'])
})

proves('runbook.problems', 'what would silently not run is reported', () => {
  const cases: [string, RegExp][] = [
    ['1. Do this:\n\n    ```bash\n    ls\n    ```', /^3: This bash block would not run: it is indented/],
    ['\t```wait\n\t1s\n', /^1: This wait block would not run: it is indented/],
    ['```bash if="`x`"\nls\n```\n', /^1: This bash block would not run: .*backtick/],
    ['<!-- off\n```bash\nls\n```\n', /^2: This bash block would not run: the comment/],
    ['```text\nnever closed\n~~~bash\nls\n', /^1: This block is never closed, and the bash block in line 3/],
    ['```bash\nls\n``', /^1: This bash block is never closed/],
    [block('output', 'a') + block('wait', '1s'), /^1: An output without if= ends the run, so the block in line 4/],
  ]
  for (const [markdown, message] of cases) assert.match(told(markdown).join('\n'), message, markdown)
  assert.deepEqual(told(block('output if="message"', 'a') + block('output', 'b')), [])
})

proves('runbook.problems', 'every mistake in a block is reported with its line and what to write', () => {
  const cases: [string, RegExp][] = [
    [
      block('bash colour=red', 'ls'),
      /^1: A bash block has no colour=. A bash block takes id=, if=, on_error=, retry=, timeout=\.$/,
    ],
    [block('bash {.line}', 'ls'), /^1: "{.line}" means nothing here/],
    [block('bash id="open', 'ls'), /^1: The quotes after id= are never closed/],
    [block('bash id=', 'ls'), /^1: id= has no value/],
    [block('bash id=a id=b', 'ls'), /^1: id= stands twice/],
    [block('bash id="a"b', 'ls'), /^1: Put a space after/],
    [block('bash id=1st', 'ls'), /^1: id=1st is not possible/],
    [block('bash id={{message}}', 'ls'), /id= cannot hold \{\{ \}\}/],
    [block('wait id=a', '1s') + block('wait id=a', '1s'), /^4: The id a is taken by the block in line 1/],
    [block('bash on_error=ignore', 'ls'), /^1: on_error=ignore is not known here. Use fail, continue or ask/],
    [block('bash retry=11', 'ls'), /^1: retry=11 is not a whole number from 0 to 10/],
    [block('bash timeout=soon', 'ls'), /^1: timeout=soon is not a duration/],
    [block('http timeout=3s', 'GET https://a.example/'), /^1: A http block has no timeout=/],
    [block('bash if="message =="', 'ls'), /^1: if="message ==" cannot be read: A value is missing/],
    [block('bash if="{{ message }}"', 'ls'), /without \{\{ \}\}/],
    [block('bash', ''), /^1: This bash block is empty/],
    [block('bash', '\n\necho {{ nobody }}'), /^4: \{\{ nobody \}\} cannot be read: "nobody" is not known/],
    [block('bash', 'echo\necho {{ message'), /^3: A \{\{ is not closed by \}\} on its line/],
    [
      block('bash', 'echo {{ steps.later.output }}') + block('wait id=later', '1s'),
      /^2: The step "later" \(line 4\) does not come before/,
    ],
    [block('bash id=me', 'echo {{ steps.me.output }}'), /^2: The step "me" \(line 1\) does not come before/],
    [block('bash', 'echo {{ steps["gone"].ok }}'), /^2: There is no step "gone"/],
    [block('file', 'x'), /^1: This file block does not say where/],
    [block('memory path=""', 'x'), /^1: This memory block does not say where/],
    [
      block('file path=a.json', '{\n"a": nope}'),
      /^3: The content of a .json file is not JSON: a value must stand here, not "nope}"/,
    ],
    [block('http', ''), /^2: The first line of an http block is METHOD URL/],
    [block('http', 'FETCH https://a.example/'), /^2: "FETCH" is not an HTTP method/],
    [block('http', 'GET /path'), /^2: Write a whole URL/],
    [block('http', 'GET https://{{ message.host }}/'), /^2: Write scheme and host of the URL out/],
    [block('http', 'GET {{ message.url }}'), /^2: Write scheme and host of the URL out/],
    [block('http', 'GET https://a.example:{{ message.port }}/'), /^2: Write scheme and host of the URL out/],
    [block('http', 'GET https://me:secret@a.example/'), /^2: Take user and password out/],
    [block('http', 'GET https://a.example/a b'), /^2: A URL has no spaces/],
    [block('http', 'GET https://a.example/%{{ message }}'), /^2: A value cannot stand right after %/],
    [block('http', 'GET https://a.example/\nNo header'), /^3: A header is Name: value/],
    [block('http', 'GET https://a.example/\nA: 1\na: 2'), /^4: The header a stands twice/],
    [block('http', 'GET https://a.example/\nA: ☃'), /^3: The header A holds a sign/],
    [block('http', 'GET https://a.example/\n\nbody'), /^1: A GET request has no body/],
    [block('http', 'POST https://a.example/\n\n{"a": }'), /^4: The body .* is not JSON/],
    [block('browser', 'open https://a.example\nhover x'), /^3: "hover" is not a browser action/],
    [block('browser', 'open {{ message }}'), /^2: Write scheme and host/],
    [block('browser', 'type Name'), /^2: Write type Name = text/],
    [block('browser', 'screenshot now'), /^2: Write screenshot/],
    [block('browser', 'open https://a.example\nlogin {{ message }}'), /^3: After login stands the domain/],
    [block('browser', ''), /^1: This browser block is empty/],
    [block('approve', '\n'), /^1: This approve block has no title/],
    [block('ask', ''), /^1: This ask block has no title/],
    [
      block('ask on_timeout=approve timeout=1h', 'Which?'),
      /^1: on_timeout=approve is not known here. Use fail or continue/,
    ],
    [block('approve on_timeout=fail', 'Pay?'), /^1: on_timeout= needs timeout=/],
    [block('approve', 'x'.repeat(301)), /^2: The title is longer than 300/],
    [block('ask', 'Which?\n- A\n- A'), /^4: The option "A" stands twice/],
    [block('ask', 'Which?\n- A\ntext'), /^4: After the options nothing else/],
    [block('ask', 'Fill in\n{"type": }'), /^3: The form schema is not JSON/],
    [block('wait', 'tomorrow'), /^2: "tomorrow" is neither a duration nor a time/],
    [block('wait', '2026-02-31'), /^2: "2026-02-31" is neither/],
    [block('wait', '1s\n2s'), /^3: A wait block has one line/],
    [block('case', 'reopen'), /^2: "reopen" cannot be done to a case/],
    [block('case', 'fail'), /^2: Say why the case fails/],
    [block('case', 'postpone'), /^2: Say for how long/],
    [block('case', 'create\nTitle'), /^2: Say in which queue/],
    [block('case', 'create queue=a'), /^2: A new case has a title/],
    [block('case complete queue=a', 'x'), /^1: queue= and title= belong to create/],
    [block('agent', 'Do it'), /^1: This agent block does not name the agent/],
    [block('agent name=Helper', ''), /^1: This agent block is empty/],
    [block('tool', '{}'), /^1: This tool block does not name the tool/],
    [block('tool name=x', '[1]'), /^2: The arguments of a tool are a JSON object/],
    [
      block('tool name=x', '{"a": {{ message }} {{ message }}}'),
      /^2: The list of arguments is not JSON: , or an end must stand here, not \{\{ \}\}/,
    ],
    [block('tool name=x', '{"{{ message }}": 1}'), /^2: A value cannot be part of a name in JSON/],
    [block('tool name=x', `{"a": ${'['.repeat(70)}`), /^2: .*nested deeper than 64/],
    [block('output', ''), /^1: This output block is empty/],
    [block('output', '[not json'), /^2: The output, which begins with \[, is not JSON/],
  ]
  for (const [markdown, message] of cases) assert.match(told(markdown).join('\n'), message, markdown)
})

proves('runbook.problems', 'two braces can be meant as such', () => {
  assert.deepEqual(told(block('bash', `docker ps --format '\\{{.Names}}'`)), [])
  assert.match(
    told(block('bash', `docker ps --format '{{.Names}}'`)).join(),
    /Write \\\{\{ where you mean the two braces/,
  )
})

proves(
  'runbook.hostile',
  'a large text is read to its end whatever it holds, and at most a hundred problems are reported',
  (t) => {
    const parts = [
      '{{',
      '{{ message }}',
      '{{ x }}',
      '"',
      "'",
      '`',
      '$(',
      '"$(',
      '${',
      '((',
      '[[ ',
      '<<E ',
      '/',
      '\\',
      '{',
      '[',
      '# ',
      ': ',
      '- a: ',
    ]
    const kinds = [
      'bash',
      'python',
      'js',
      'http',
      'browser',
      'file path=a.json',
      'ask',
      'case',
      'tool name=x',
      'output',
    ]
    const texts = [
      ...parts,
      '```bash\n',
      '~~~\n',
      '```bash\n```\n',
      '<!--\n',
      '    ```bash\n',
      '\t',
      '```wait x="\n',
    ].map(large)
    texts.push(...kinds.flatMap((kind) => parts.map((part) => block(kind, large(part)))))
    texts.push(...['a=b ', 'id="', '\\" ', 'x '].map((words) => block(`bash ${large(words)}`, 'ls')))
    let slowest = { ms: 0, text: '' }
    for (const text of texts) {
      const begun = performance.now()
      const { problems } = parseRunbook(text)
      const ms = performance.now() - begun
      if (ms > slowest.ms) slowest = { ms, text: text.slice(0, 40) }
      assert.ok(problems.length <= 100)
      for (const { line, message } of problems) assert.ok(line >= 1 && message.length < 600)
    }
    t.diagnostic(
      `${texts.length} texts of 200 KiB; slowest ${slowest.ms.toFixed(0)} ms: ${JSON.stringify(slowest.text)}`,
    )
  },
)

const large = (part: string): string => part.repeat(Math.ceil((200 * 1024) / part.length))
