// Pages with their data: repetition, charts with odd data, the document, Markdown, CSV, and what bounds them.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { parse } from 'parse5'
import { proves } from '../../../test/kit/proves.ts'
import { CannotRender } from '../expression/text.ts'
import { StepBudget, TooManySteps } from '../stepBudget.ts'
import { csvOf } from './csv.ts'
import { pageHeaders, pagePolicy, selectablePolicy } from './pageHeaders.ts'
import { readPage } from './readPage.ts'
import { selectable } from './selectable.ts'
import { renderPage, type RenderedPage } from './renderPage.ts'

function show(template: string, data: unknown, steps = 5_000_000): RenderedPage {
  const { page, problems } = readPage(template)
  assert.deepEqual(problems, [], template)
  return renderPage(page, { data, title: 'A & B', at: new Date('2026-11-16T17:30:00Z'), budget: new StepBudget(steps) })
}

const mainOf = ({ html }: RenderedPage): string => /<main>(.*)<\/main>/s.exec(html)![1]!

proves('pages.charts', 'each= repeats, if= shows, a failed value is a dash and is reported', () => {
  const page = show(
    '<ul><li each="row in data.a.rows" if="row.n > 1">{{ row.n }}</li></ul><p>{{ data.a.t | number }}</p>',
    {
      a: { rows: [{ n: 1 }, { n: 2 }, { n: 3 }], t: 'x' },
    },
  )
  assert.equal(mainOf(page), '<ul><li>2</li><li>3</li></ul><p>–</p>')
  assert.deepEqual(page.problems, [{ line: 1, message: '"x" is not a number, so | number cannot read it.' }])
  const none = show('<p each="row in data.a">x</p><p each="row in data.b">y</p>', { a: null, b: 3 })
  assert.equal(mainOf(none), '')
  assert.match(none.problems[0]!.message, /data.b is not a list/)
  const text = show('\n<bar-chart rows="{{ data.a }}"></bar-chart>', { a: 'x' })
  assert.deepEqual(text.problems, [{ line: 2, message: 'rows= of <bar-chart> is not a list, so it shows nothing.' }])
})

proves('pages.charts', 'a page says how many rows are left out', () => {
  const rows = Array.from({ length: 2345 }, (_, n) => ({ n }))
  const page = show('<p each="row in data.a">{{ row.n }}</p><data-table rows="{{ data.a }}"></data-table>', { a: rows })
  assert.equal(mainOf(page).split('<p>').length, 1001)
  assert.match(page.html, /data.a: 1,000 of 2,345 rows are shown\./)
  assert.match(page.html, /<p class="ry-note">1,000 of 2,345 rows are shown\.<\/p>/)
  assert.equal(page.tables[0]!.rows.length, 1000)
})

proves('pages.charts', 'charts take rows as they come', () => {
  const rows: unknown[] = [
    [],
    [{ x: 'a', y: 1 }],
    [
      { x: 'a', y: -1 },
      { x: 'b', y: 1 },
    ],
    [
      { x: 'a', y: -1e308 },
      { x: 'b', y: 1e308 },
    ],
    [{ x: 'a', y: 5e-324 }],
    [{ x: 'a', y: 'text' }, { x: 'b', y: null }, { x: 'c' }, {}],
    [
      { x: null, y: 0 },
      { x: { deep: [1] }, y: '12.5' },
    ],
    [
      { x: '2026-11-16', y: 1 },
      { x: '2026-11-16', y: 2 },
      { x: '2026-11-15', y: 3 },
    ],
    [
      { x: '2026-11-16', y: 1 },
      { x: 'yesterday', y: 2 },
    ],
    [1, 2, null, 'x'],
    { a: 1, b: -2 },
    'not rows',
    7,
    Array.from({ length: 500 }, (_, n) => ({ x: `point ${n}`, y: n * (n % 2 ? 1 : -1), z: null })),
    Array.from({ length: 300 }, (_, n) => ({ x: n, y: n, s: `series ${n % 40}` })),
    [{ x: 'x'.repeat(10_000), y: 1 }],
    [{ __proto__: 1, constructor: 2, x: 'toString', y: 3 }],
  ]
  for (const given of rows) {
    for (const name of ['bar-chart', 'line-chart', 'area-chart']) {
      for (const more of [
        '',
        'stacked',
        'series="s"',
        'direction="horizontal"',
        'kind="duration"',
        'y="y, z"',
        'y="nothing"',
      ]) {
        if (name !== 'bar-chart' && more.startsWith('direction')) continue
        if (name === 'line-chart' && more === 'stacked') continue
        const { html } = show(`<${name} title="T" rows="{{ data.a }}" x="x" ${more}></${name}>`, { a: given })
        assert.doesNotMatch(html, /NaN|Infinity|undefined/, `${name} ${more} ${JSON.stringify(given).slice(0, 200)}`)
        parse(html)
      }
    }
    assert.doesNotMatch(
      show('<data-table rows="{{ data.a }}"></data-table>', { a: given }).html,
      /NaN|Infinity|undefined/,
    )
  }
  assert.match(show('<bar-chart rows="{{ data.a }}"></bar-chart>', { a: [] }).html, /No data yet/)
  assert.match(show('<bar-chart rows="{{ data.a }}" empty="Quiet"></bar-chart>', {}).html, /Quiet/)
})

proves('pages.charts', 'figures are short where there is little room, and exact in tables', () => {
  const number = (value: unknown, more = ''): string => {
    const page = show(`<big-number value="{{ data.v }}" ${more}></big-number>`, { v: value })
    return /class="ry-value"[^>]*>([^<]*)/.exec(page.html)![1]!
  }
  const cases: [unknown, string, string][] = [
    [12_430, '', '12.4k'],
    [999_960, '', '1M'],
    [3, '', '3'],
    [0.25, '', '0.25'],
    [-1234.5, '', '−1.2k'],
    [null, '', '–'],
    ['text', '', 'text'],
    ['12345678901234', '', '12.3T'],
    [1234.5, 'kind="usd"', '$1,235'],
    [0.00123, 'kind="usd"', '$0.0012'],
    [12.5, 'kind="usd"', '$12.50'],
    [0.1234, 'kind="percent"', '12.3%'],
    [3725, 'kind="duration"', '1 h 2 min'],
    [0.25, 'kind="duration"', '250 ms'],
  ]
  for (const [value, more, expected] of cases) assert.equal(number(value, more), expected)
  const changed = show(
    '<big-number value="{{ data.v }}" before="80" good="up" label="Runs" unit="runs"></big-number>',
    { v: 100 },
  )
  assert.match(changed.html, /ry-change ry-good">↑ 25%/)
  assert.match(changed.markdown, /\*\*Runs: 100 runs \(↑ 25%\)\*\*/)
})

proves('pages.charts', 'a time has its clock at midnight too, and a bare date has none', () => {
  const { markdown } = show('<data-table rows="{{ data.a }}" title="Hours"></data-table>', {
    a: [
      { at: '2026-11-15T23:00:00Z', day: '2026-11-15' },
      { at: '2026-11-16T00:00:00Z', day: '2026-11-16' },
    ],
  })
  assert.match(markdown, /\| 15 Nov 2026, 23:00 \| 15 Nov 2026 \|\n\| 16 Nov 2026, 00:00 \| 16 Nov 2026 \|/)
})

proves('pages.charts', 'a column that no row has, and rows without a value, are reported', () => {
  const page = show(
    '<line-chart rows="{{ data.a }}" x="day" y="run.count, rums" series="agnet"></line-chart>\n<data-table rows="{{ data.b }}"></data-table>',
    { a: [{ day: '2026-11-16', run: { count: 1 } }] },
  )
  assert.deepEqual(page.problems, [
    { line: 1, message: '<line-chart>: No row has rums, agnet. The rows have day, run.' },
    { line: 2, message: 'rows= of <data-table> has no value, so it shows nothing.' },
  ])
})

proves('pages.bounds', 'what a page takes is bounded, whatever its data', () => {
  const many = Array.from({ length: 1000 }, (_, n) => n)
  const template = '<p each="a in data.a"><b each="b in data.a"><i each="c in data.a">{{ c }}</i></b></p>'
  assert.throws(() => show(template, { a: many }, 200_000), TooManySteps)
  assert.throws(() => show(template, { a: many }), CannotRender)
  assert.throws(() => show(template.replaceAll('<i', '<i if="false"'), { a: many }), TooManySteps)
  const long = 'x'.repeat(1_000_000)
  assert.throws(() => show('<p>{{ data.a }}</p>'.repeat(5), { a: long }), CannotRender)
  assert.throws(() => show('<p title="{{ data.a | length }}">x</p>'.repeat(500), { a: long }), TooManySteps)
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n]))
  const { tables } = show('<data-table rows="{{ data.a }}"></data-table>', { a: [wide] })
  assert.equal(tables[0]!.columns.length, 50)
})

proves('pages.policy', 'a page says by header and by itself that nothing may be loaded', () => {
  const { html } = show('<p>x</p>', {})
  const headers = pageHeaders()
  const policy = headers['content-security-policy']!
  assert.match(policy, /^sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; default-src 'none';/)
  assert.doesNotMatch(policy, /allow-same-origin|allow-top-navigation|allow-forms|unsafe-eval|https?:/)
  const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text!)
  assert.equal(scripts.length, 1)
  const hash = `'sha256-${createHash('sha256').update(scripts[0]!).digest('base64')}'`
  const meta = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)![1]!
  for (const text of [policy, meta]) assert.ok(text.includes(`script-src ${hash};`))
  assert.ok(policy.includes(meta))
  assert.ok(html.indexOf('Content-Security-Policy') < html.indexOf('<style>'))
  assert.ok(
    html.includes('<title>A &amp; B</title>') &&
      html.includes('<h1>A &amp; B</h1>') &&
      html.includes('16 Nov 2026, 17:30 UTC'),
  )
  assert.doesNotMatch(html, /https?:\/\//)
})

proves('pages.selectable', 'a page to select from allows two scripts of the service, and no other', () => {
  const words = `</body>\n</html>\n<script>alert(1)</script> ${pagePolicy}`
  const { html } = show('<p title="{{ data.a }}">{{ data.a }}</p>', { a: words })
  const page = selectable(html)
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text!)
  assert.equal(scripts.length, 2)
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ')
  const meta = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)![1]!
  const policy = pageHeaders(selectablePolicy)['content-security-policy']!
  for (const text of [policy, meta]) assert.ok(text.includes(`script-src ${hashes};`), text)
  assert.ok(policy.endsWith("frame-ancestors 'self'"))
  assert.equal(page.split('</body>\n</html>\n').length, 2)
})

proves('pages.policy', 'the theme is the viewer’s own unless one is given', () => {
  const { page } = readPage('<h1>Own</h1>')
  const view = { data: {}, title: 'T', at: new Date(0), budget: new StepBudget(1000) }
  assert.match(renderPage(page, view).html, /<html lang="en">/)
  const dark = renderPage(page, { ...view, theme: 'dark' }).html
  assert.match(dark, /<html lang="en" data-theme="dark">/)
  assert.equal(dark.match(/<h1>/g)?.length, 1)
})

proves('pages.exports', 'a page is Markdown too', () => {
  const empty = show('<data-table rows="{{ data.a }}" title="Queues" empty="None yet"></data-table>', { a: [] })
  assert.match(empty.markdown, /\*\*Queues\*\*\n\nNone yet/)
  const { markdown } = show(
    `<style>p{}</style><h2>Part <em>one</em></h2><p>Some   text, <b>bold</b>, <a href="https://example.com/a b">link</a>, <code>x|y</code> *no*</p>
     <ul><li>one</li><li>two<ol><li>deep</li></ol></li></ul><pre>a\n  b</pre><blockquote><p>said</p></blockquote><hr>
     <table><tr><th>Name</th><th>N</th></tr><tr each="r in data.a"><td>{{ r.name }}</td><td>{{ r.n }}</td></tr></table>
     <line-chart title="Chart" rows="{{ data.a }}" x="name" y="n"></line-chart><svg><text>no</text></svg>`,
    {
      a: [
        { name: 'a|b', n: 1 },
        { name: '# c', n: 2.5 },
      ],
    },
  )
  assert.equal(
    markdown,
    [
      '# A & B',
      'As of 16 Nov 2026, 17:30 UTC.',
      '## Part *one*',
      'Some text, **bold**, [link](<https://example.com/a%20b>), `x|y` \\*no\\*',
      '- one\n- two\n\n  1. deep',
      '```\na\n  b\n```',
      '> said',
      '---',
      '| Name | N |\n| --- | ---: |\n| a\\|b | 1 |\n| # c | 2.5 |',
      '**Chart**',
      '| Name | N |\n| --- | ---: |\n| a\\|b | 1 |\n| # c | 2.5 |',
    ].join('\n\n') + '\n',
  )
})

proves(
  'pages.exports',
  'tables are those of charts, data tables and plain tables, and no cell of a CSV file is a formula',
  () => {
    const { tables } = show(
      `<h2>Plain</h2><table><tr><th>A<th>B</tr><tr each="r in data.a"><td>{{ r.t }}<td>{{ r.n }}</tr></table>
     <data-table title="Data" rows="{{ data.a }}" columns="t: Text, n: Number"></data-table>
     <bar-chart rows="{{ data.a }}" x="t" y="n"></bar-chart>`,
      {
        a: [
          { t: '=1+1', n: -5 },
          { t: 'a "b", c', n: 12.5 },
          { t: '\t@x', n: null },
        ],
      },
    )
    assert.deepEqual(
      tables.map(({ title, columns }) => [title, ...columns.map(({ name, kind }) => `${name} ${kind}`)]),
      [
        ['Plain', 'A text', 'B text'],
        ['Data', 'Text text', 'Number number'],
        ['N by t', 'T text', 'N number'],
      ],
    )
    assert.equal(csvOf(tables.slice(1, 2)), `Text,Number\r\n'=1+1,-5\r\n"a ""b"", c",12.5\r\n'\t@x,\r\n`)
    assert.match(csvOf(tables), /^Plain\r\nA,B\r\n'=1\+1,'-5\r\n.*\r\n\r\nData\r\nText,Number\r\n/s)
    const risky = ['=', '+', '-', '@', '\t', '\r', '\n'].map((sign) => [`${sign}cmd|'/c calc'!A1`])
    const lines = csvOf([{ title: 'T', columns: [{ name: '=x', kind: 'text' }], rows: risky }])
    for (const line of lines.split('\r\n').filter((text) => text !== '')) assert.match(line, /^"?'|^cmd/, line)
    assert.equal(csvOf([]), '')
  },
)

proves('pages.bounds', 'rows that are not shown cost nothing', () => {
  const rows = Array.from({ length: 200_000 }, (_, n) => ({ name: `row ${n}`, n }))
  const template =
    '<bar-chart rows="{{ data.a }}" limit="20"></bar-chart><data-table rows="{{ data.a }}" limit="20"></data-table>'
  const page = show(template.repeat(10), { a: rows }, 200_000)
  assert.equal(page.tables.length, 20)
  assert.match(page.html, /20 of 200,000 rows are shown\./)
})

proves('pages.bounds', 'text that each level writes again, and cells that only a long row gives, are paid for', () => {
  const many = Array.from({ length: 1000 }, (_, n) => n)
  const nested = ['<blockquote>', '<ul><li>', '<b>', '<h2><div>'].map((tags) =>
    tags.repeat(Math.floor(90 / tags.split('<').length)),
  )
  for (const tags of nested) {
    const lines = { t: 'a\n'.repeat(400_000) }
    assert.throws(() => show(`${tags}<pre>{{ data.t }}</pre>`, lines), TooManySteps, tags.slice(0, 20))
  }
  const row = '<tr><td each="n in data.a">x</td></tr>'
  const { tables, markdown } = show(`<table>${row}<tr each="n in data.a"><td>y</td></tr></table>`, { a: many })
  assert.deepEqual([tables[0]?.columns.length, tables[0]?.rows.length], [100, 1001])
  assert.ok(markdown.length < 1_000_000)
  const tall = '<tr each="n in data.a"><td>y</td></tr>'.repeat(10)
  assert.throws(() => show(`<table>${row}${tall}</table>`, { a: many }), TooManySteps)
})
