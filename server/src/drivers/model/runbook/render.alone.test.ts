// Values in the places where they go: each arrives exactly, and none can become anything else.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import * as fc from 'fast-check'
import { readTemplate } from './block.ts'
import { render } from './render.ts'
import { newScope } from './scope.ts'
import { CannotRender } from '../../../base/expression/text.ts'
import type { TextKind } from './template.ts'
import { proves } from '../../../../test/kit/proves.ts'

const run = { id: 'r', number: 1, title: null, agent_id: 'a', agent_name: 'A', source: 'api', created_at: '' }

function refusals(text: string, place: TextKind): string[] {
  const told: string[] = []
  readTemplate(text, 1, place, 'text', (line, message) => void told.push(`${line}: ${message}`))
  return told
}

function written(text: string, place: TextKind, message: unknown): unknown {
  const template = readTemplate(text, 1, place, 'text', (line, problem) => assert.fail(`${line}: ${problem}`))
  return render(template, newScope({ message, case: null, run }))
}

/** Texts that mean something to a shell, a language, JSON or a URL, between all others. */
const signs = `' " \` \\ $(id) \${x} $ ; & | # ! * ~ ( ) { } }} [ ] """ ''' // /* */ <!-- ? = %2e .. / @ : 😀 é -rf __proto__ a[$(id)] \\u0041 \\N{DASH}`
const breaks = [
  '\n',
  '\r',
  '\t',
  ' ',
  '{{ message }}',
  '<<EOF\n',
  '\nEOF\n',
  '\u2028',
  '\u0085',
  '\ufeff',
  '\x7f',
  '\x01',
  '\uFFFC',
]
const nasty = fc.constantFrom(...signs.split(' '), ...breaks)
const text = fc
  .array(fc.oneof(nasty, fc.string({ maxLength: 4, unit: 'binary' })), { maxLength: 6 })
  .map((parts) => parts.join(''))
const data = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(null, true, false, 0, -1, 1.5, -2.25e-7, 1e21, 123456789012345680000, 2 ** 53, '__proto__'),
    fc.array(tie('value'), { maxLength: 3 }),
    // as JSON makes them: a name can be any text, __proto__ included
    fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const sampled = <T>(values: fc.Arbitrary<T>, count: number): T[] =>
  fc.sample(values, { numRuns: count, seed: 20_260_718 })

/** The values of one process. With RUNYARD_LONG_TESTS there are 10,000 values in all, else one process gets these. */
const batchSize = 400
const batches = process.env['RUNYARD_LONG_TESTS'] ? 25 : 1

/** Gives the random values in batches, each for one real process. */
function* valueBatches(values: fc.Arbitrary<unknown>): Generator<unknown[]> {
  for (let batch = 0; batch < batches; batch++) {
    yield fc.sample(values, { numRuns: batchSize, seed: 20_260_718 + batch })
  }
}

proves(
  'runbook.quoting',
  'in bash a value is one word that arrives as it is',
  { skip: !existsSync('/bin/bash') && 'no /bin/bash here' },
  () => {
    const forms = [
      "printf '%s\\0' {{ message }}",
      'x={{ message }}; printf \'%s\\0\' "$x"',
      "printf '%s\\0' \"$(printf '%sZ' )\"{{ message }}''",
    ]
    const carried = data.filter((value) => !textOf(value).includes('\0') && textOf(value).isWellFormed())
    for (const values of valueBatches(carried)) {
      const script = values.map((value, index) => String(written(forms[index % 3]!, 'bash', value))).join('\n')
      const { stdout, stderr } = spawnSync('/bin/bash', [], { input: script, env: { PATH: '', LC_ALL: 'C.UTF-8' } })
      const arrived = stdout.toString().split('\0').slice(0, -1)
      assert.equal(stderr.toString(), '')
      assert.deepEqual(
        arrived,
        values.map((value, index) => (index % 3 === 2 ? 'Z' : '') + textOf(value)),
      )
    }
  },
)

proves('runbook.quoting', 'in bash a value that cannot be carried is refused', () => {
  assert.throws(() => written('echo {{ message }}', 'bash', 'a\0b'), /NUL/)
  assert.throws(() => written('echo {{ message }}', 'bash', 'a\ud800'), /lone surrogate/)
})

const python = ['/usr/bin/python3', '/usr/local/bin/python3', '/bin/python3'].find((path) => existsSync(path))

proves(
  'runbook.quoting',
  'in python a value is a literal that means the same',
  { skip: !python && 'no python3 here' },
  () => {
    for (const values of valueBatches(data)) {
      const lines = values.map((value) => String(written('values.append({{ message }})', 'python', value)))
      const program = ['import json', 'values = []', ...lines, 'print(json.dumps(values))'].join('\n')
      const { stdout, stderr } = spawnSync(python!, ['-I', '-'], { input: program })
      assert.equal(stderr.toString(), '')
      assert.equal(JSON.stringify(JSON.parse(stdout.toString())), JSON.stringify(values))
      // no encoding of the file can change it
      assert.match(program, /^[\n\x20-\x7E]*$/)
    }
  },
)

proves('runbook.quoting', 'in js a value is a literal that means the same', () => {
  for (const values of valueBatches(data)) {
    const form = 'values.push([{{ message }}, { a: {{ message }} }, typeof (1 +{{ message }})])'
    const lines = values.map((value) => String(written(form, 'js', value)))
    const program = ['const values = []', ...lines, 'process.stdout.write(JSON.stringify(values))'].join('\n')
    const { stdout, stderr } = spawnSync(process.execPath, ['-'], { input: program, env: {} })
    assert.equal(stderr.toString(), '')
    const arrived = JSON.parse(stdout.toString()) as [unknown, { a: unknown }, string][]
    for (const arrives of [arrived.map(([plain]) => plain), arrived.map(([, { a }]) => a)]) {
      assert.equal(JSON.stringify(arrives), JSON.stringify(values))
    }
  }
  const own = JSON.parse('{"__proto__": {"admin": true}}') as unknown
  assert.equal(JSON.stringify(runInThisContext(String(written('({{ message }})', 'js', own)))), JSON.stringify(own))
  assert.throws(() => runInThisContext(String(written('({ {{ message }}: 1 })', 'js', '__proto__'))), SyntaxError)
})

proves('runbook.quoting', 'in JSON a value is a value, and text inside a string', () => {
  for (const value of sampled(data, 300)) {
    const template = '{"a": {{ message }}, "b": "<{{ message }}>", "c": [{{ message }}]}'
    const expected = JSON.stringify({ a: value, b: `<${textOf(value)}>`, c: [value] })
    assert.equal(JSON.stringify(written(template, 'json_value', value)), expected)
    assert.equal(JSON.stringify(JSON.parse(String(written(template, 'json_text', value)))), expected)
  }
})

proves('runbook.quoting', 'in a URL a value stays inside its part', () => {
  for (const value of sampled(data, 400)) {
    const template = 'https://a.example:8080/items/x{{ message }}/{{ message }}?q={{ message }}&z=1#f{{ message }}'
    const isWritable = value !== null && value !== '' && textOf(value).isWellFormed()
    if (!isWritable || value === '.' || value === '..') {
      assert.throws(() => written(template, 'url', value), CannotRender)
      continue
    }
    const url = new URL(String(written(template, 'url', value)))
    assert.equal(url.origin, 'https://a.example:8080')
    const segments = url.pathname.split('/').map(decodeURIComponent)
    assert.deepEqual(segments, ['', 'items', `x${textOf(value)}`, textOf(value)])
    assert.deepEqual(
      [...url.searchParams],
      [
        ['q', textOf(value)],
        ['z', '1'],
      ],
    )
    assert.equal(decodeURIComponent(url.hash), `#f${textOf(value)}`)
  }
  for (const step of ['.', '..']) {
    assert.throws(() => written('https://a.example/a/{{ message }}/b', 'url', step), /\. or \.\./)
  }
  assert.equal(written('https://a.example/{{ message }}', 'url', '%2e%2e'), 'https://a.example/%252e%252e')
  assert.throws(() => written('https://a.example/a/.{{ message }}', 'url', '.'), /\. or \.\./)
})

proves('runbook.quoting', 'in headers, forms and browser lines a value cannot begin anything new', () => {
  assert.equal(written('Bearer {{ message }}', 'header', 'abc é'), 'Bearer abc é')
  for (const bad of ['a\r\nB: c', 'a\nb', 'a\0', '☃'])
    assert.throws(() => written('{{ message }}', 'header', bad), CannotRender)
  const form = new URLSearchParams(String(written('a={{ message }}&b=1', 'form', 'x&b=2+ü')))
  assert.deepEqual(
    [...form],
    [
      ['a', 'x&b=2+ü'],
      ['b', '1'],
    ],
  )
  assert.throws(() => written('click {{ message }}', 'line', 'a\nopen b'), /line break/)
})

proves('runbook.quoting', 'in other texts a text is itself, and the rest is JSON', () => {
  assert.equal(written('<{{ message }}>', 'text', 'a "b"'), '<a "b">')
  assert.equal(written('<{{ message }}>', 'text', null), '<null>')
  assert.equal(written('<{{ message }}>', 'text', { a: [1] }), '<{"a":[1]}>')
  assert.throws(() => written('{{ message }}{{ message }}', 'text', 'x'.repeat(600_000)), /longer than/)
})

proves('runbook.places', 'bash takes a value wherever a word is literal', () => {
  const fine = [
    'echo {{ message }} --name={{ message }} /tmp/{{ message }}.txt {{ message }}{{ message }}',
    'name={{ message }}\necho "Hello $name, it\'s ${name}" # quotes "in comments\'',
    'export A=1; X={{ message }} env Y={{ message }} curl -H "A: b" -d {{ message | json }} https://a.example',
    'if [ {{ message }} = "x" ]; then echo {{ message }} > {{ message }}; fi',
    'for f in {{ message }} b; do echo "$f"; done <<< {{ message }}',
    'case {{ message }} in\n  a|b) echo {{ message }} ;;\n  *) exit 1 ;;\nesac\necho {{ message }}',
    "cat <<'EOF' > file\nit's text \"here\nEOF\necho {{ message }}",
    'x=$(grep -c {{ message }} file); diff <(echo {{ message }}) file; (cd {{ message }} && ls)',
    'n={{ message | number }}\nif (( n > 3 )); then echo $((n * 2)); fi',
    'i=1; name={{ message }}; while (( i < 3 )); do echo "$name"; i=$((i + 1)); done',
    "printf '%s' {{ message }} | ssh host cat; bash -c 'echo \"$1\"' _ {{ message }}",
    'awk -v name={{ message }} \'{ print name }\' file; sed -n 1p {{ message }}; set -- {{ message }}; echo "$@"',
    'f() { echo "$1"; }\nf {{ message }}',
    'if [[ "$x" == "y" ]]; then echo {{ message }} | cat; bash run.sh > {{ message }}; fi; echo a || sh run.sh {{ message }}',
    'trap \'rm -f "$tmp"\' EXIT; list=("a b" c); list+=(d); echo "${list[@]}" "${#list[@]}" {{ message }}',
  ]
  for (const script of fine) assert.deepEqual(refusals(script, 'bash'), [], script)
})

proves('runbook.places', 'bash refuses a value wherever it would be read in another way', () => {
  const cases: [string, RegExp][] = [
    ['echo "a {{ message }}"', /in double quotes/],
    ["echo 'a {{ message }}'", /in single quotes/],
    ['echo "$(echo {{ message }})"', /in double quotes/],
    ['echo `echo {{ message }}`', /inside backticks/],
    ['cat <<EOF\n{{ message }}\nEOF', /^2: .*inside a heredoc/],
    ["cat <<'EOF'\n{{ message }}\nEOF", /^2: .*inside a heredoc/],
    ['cat << {{ message }}', /after a heredoc/],
    ['echo $(( {{ message }} ))', /inside \$\(\( \)\).*\| number/],
    ['(( {{ message }} ))', /inside \(\( \)\)/],
    ['echo $[ {{ message }} ]', /inside \$\[ \]/],
    ['[[ {{ message }} == a ]]', /inside \[\[ \]\].*Use \[ \]/],
    ['echo ${x:-{{ message }}}', /inside \$\{ \}/],
    ['echo ${{ message }}', /right after \$/],
    ["echo $'{{ message }}'", /inside \$' '/],
    ['# {{ message }}\nls', /in a comment/],
    ['ls # {{ message }}', /in a comment/],
    ['{{ message }}', /as the name of a command/],
    ['sudo -E {{ message }} x', /as the name of a command/],
    ['ls; if {{ message }}; then ls; fi', /as the name of a command/],
    ['eval {{ message }}', /as a word of eval/],
    ['command "eval" {{ message }}', /as a word of eval/],
    ['let x={{ message }}', /as a word of let/],
    ['source {{ message }}', /as a word of source/],
    ['trap {{ message }} EXIT', /as a word of trap/],
    ['read {{ message }}', /as a word of read/],
    ['declare -i x={{ message }}', /as a word of declare/],
    ['local x={{ message }}', /as a word of local/],
    ['declare -i n; n={{ message }}', /computes with or runs/],
    ['PS4={{ message }}', /in PS4/],
    ['RANDOM={{ message }}', /in RANDOM/],
    ['printf {{ message }}', /as the format of printf/],
    ['printf -v {{ message }} x', /as the format of printf/],
    ['[ -v {{ message }} ]', /after -v in \[/],
    ['[ {{ message }} {{ message }} ]', /after another value/],
    ['timeout 5 sh -c {{ message }}', /as the script of a shell/],
    ['ssh host ls {{ message }}', /hands it to another shell/],
    ['python3 -c {{ message }}', /as the program of python3/],
    ['sed s/a/{{ message }}/ file', /in the program of sed/],
    ['bash <<< {{ message }}', /as what a shell is given to run/],
    ['x=( {{ message }} )', /inside name=\( \)/],
    ['x[{{ message }}]=1', /inside \[ \]/],
    ['echo {a,{{ message }}}', /inside \{ \}/],
    ['echo {{ message }}{a,b}', /a word with \{ \}/],
    ['ls >&{{ message }}', /after >&/],
    ['${x:- }eval {{ message }}', /not written out/],
    ['alias ls="ls -l"\necho {{ message }}', /^2: .*after alias/],
    ["echo ${x:-'}'} {{ message }}", /from where the quoting is not certain/],
    ['x=$(case a in a) echo "{{ message }}";; esac)', /from where the quoting is not certain/],
  ]
  for (const [script, sentence] of cases) assert.match(refusals(script, 'bash').join('\n'), sentence, script)
})

proves('runbook.places', 'bash refuses a value in a variable that is computed with or run', () => {
  const scripts = [
    'n={{ message }}\nif (( n > 3 )); then ls; fi',
    'n={{ message }}\necho $((n + 1))',
    'n={{ message }}\nif [[ $n -gt 3 ]]; then ls; fi',
    'n={{ message }}\nm=$n\nlet m+=1',
    'n=$(echo {{ message }})\necho ${list[n]}',
    'n={{ message }}\necho ${text:$n}',
    'n={{ message }}\nlist[n]=1',
    'n={{ message }}\necho ${!n}',
    'n={{ message }}\neval "ls $n"',
    'n={{ message }}\nbash -c "ls $n"',
    'n={{ message }}\n$n',
    'for n in {{ message }}; do (( n )); done',
    'set -- {{ message }}\n(( $1 ))',
    'f() { (( $1 )); }\nf {{ message }}',
    'eval $(echo {{ message }})',
    'echo {{ message }} | sh',
    'echo {{ message }} |\n tee file |& sudo bash -s',
    "n={{ message }}\necho ${x:-'}'}\n(( n ))",
  ]
  for (const script of scripts) assert.match(refusals(script, 'bash').join('\n'), /computes with or runs/, script)
})

proves(
  'runbook.places',
  'scripts that pass are safe with hostile values in the real bash',
  { skip: !existsSync('/bin/bash') && 'no /bin/bash here' },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'runbook-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const broke: string[] = []
    let ran = 0
    for (const template of sampled(scriptTemplate, 1200)) {
      if (!template.includes('{{') || refusals(template, 'bash').length > 0 || ran >= 160) continue
      ran += 1
      const script = String(written(template, 'bash', hostile[ran % hostile.length]))
      const stdio = ['ignore', 'ignore', 'ignore', 'pipe'] as const
      const { output } = spawnSync('/bin/bash', ['-c', script], {
        cwd: folder,
        stdio: [...stdio],
        env: { PATH: '' },
        timeout: 5000,
      })
      if (String(output[3]).includes('CANARY')) broke.push(script)
    }
    assert.deepEqual(broke, [])
    assert.ok(ran >= 100, `${ran} scripts ran`)
  },
)

const canary = 'echo CANARY >&3'
const around = [
  "'; |; '",
  '$(|)',
  '`|`',
  'a[$(|)]',
  '\n|\n',
  'EOF\n|\n',
  '"; |; "',
  '-v',
  "'",
  ')); |; ((',
  '}; |; {',
  '); |; (',
  ']]; |; [[',
]
const hostile = [...around, '($(|))', ';; esac; |', '\\', `'"; | #`].map((shape) => shape.replace('|', canary))

/** Scripts of builtins that change nothing, with values and all kinds of quoting in all kinds of places. */
const scriptTemplate = fc.letrec<{ word: string; command: string }>((tie) => ({
  word: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        '{{ message }}',
        '{{ message }}',
        'a',
        '-x',
        '"$x"',
        "'q'",
        '$x',
        '\\"',
        '${x}',
        '"it\'s"',
        '$((1))',
      ),
    },
    { weight: 1, arbitrary: tie('command').map((command) => `$(${command})`) },
    { weight: 1, arbitrary: tie('command').map((command) => `"$(${command})"`) },
    { weight: 1, arbitrary: tie('word').map((word) => `\${x:-${word}}`) },
    { weight: 2, arbitrary: fc.tuple(tie('word'), tie('word')).map((words) => words.join('')) },
    { weight: 1, arbitrary: tie('word').map((word) => `"${word}"`) },
  ),
  command: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom('echo', ':', "printf '%s'", '[', 'test', 'set --', 'echo a'), tie('word'))
        .map((parts) => parts.join(' ')),
    },
    { weight: 3, arbitrary: tie('word').map((word) => `x=${word}`) },
    { weight: 1, arbitrary: tie('word').map((word) => `eval ${word}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('word'), tie('command'))
        .map(([word, command]) => `case ${word} in a|*) ${command} ;; esac`),
    },
    { weight: 1, arbitrary: tie('command').map((command) => `if ${command}; then :; fi`) },
    { weight: 1, arbitrary: tie('command').map((command) => `( ${command} )`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '(( x ))',
        '[[ $x -eq 1 ]]',
        '[[ a == {{ message }} ]]',
        'x=(1 2)',
        'declare -i x',
        ': # it\'s "',
        'f() { :; }',
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('EOF', "'EOF'", '-EOF'), tie('word'))
        .map(([mark, word]) => `: <<${mark}\n${word}\nEOF`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(tie('command'), fc.constantFrom('\n', ' && ', '; ', ' | '), tie('command'))
        .map((parts) => parts.join('')),
    },
  ),
})).command

proves('runbook.places', 'python and js take a value only where a literal stands alone', () => {
  const cases: [TextKind, string, RegExp | undefined][] = [
    ['python', 'name = {{ message }}\nprint(f"hi {name}", {{ message }}) # it\'s', undefined],
    ['python', 'x = {"a": {{ message }}, "b": [{{ message }}]}', undefined],
    ['python', "text = '''it's \"a\" text'''\nx = {{ message }}", undefined],
    ['python', 'x = "{{ message }}"', /in a text/],
    ['python', 'x = f"{{ message }}"', /in a text/],
    ['python', 'x = """\n{{ message }}\n"""', /^2: .*in a text/],
    ['python', '# {{ message }}', /in a comment/],
    ['python', 'x = f{{ message }}', /right beside a word/],
    ['python', 'x = ""{{ message }}', /right beside a word/],
    ['python', 'x = {{ message }}{{ message }}', /right beside a word/],
    ['python', 'x = {{ message }}.upper()', /right beside a word/],
    ['python', 'x = f"{d["{{ message }}"]}"', /f-string that holds quotes/],
    ['python', '# -*- coding: utf-7 -*-\nx = {{ message }}', /another encoding/],
    ['js', "const name = {{ message }}; console.log(`hi ${name}`, {{ message }}, a / 2) // it's", undefined],
    ['js', 'const parts = text.split(/["\'`]/g)\nf({{ message }})', undefined],
    ['js', "/* it's */ f({ a: {{ message }} })", undefined],
    ['js', 'x = "{{ message }}"', /in a text/],
    ['js', 'x = `{{ message }}`', /in a template literal/],
    ['js', 'x = `${ {{ message }} }`', /in a template literal/],
    ['js', '// {{ message }}', /in a comment/],
    ['js', '/*\n{{ message }} */', /^2: .*in a comment/],
    ['js', 'x = /{{ message }}/', /in a pattern/],
    ['js', 'x = a{{ message }}', /right beside a word/],
    ['js', 'x = `${ f(`"`) }`; y = "{{ message }}"', /read in two ways/],
    ['js', 'if (x) /"/.test(y); z = "{{ message }}"', /read in two ways/],
  ]
  for (const [place, program, sentence] of cases) {
    if (sentence) assert.match(refusals(program, place).join('\n'), sentence, program)
    else assert.deepEqual(refusals(program, place), [], program)
  }
})
