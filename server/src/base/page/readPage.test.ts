// What a template may hold, what is refused with its line, and what a page reads.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { readPage } from './readPage.ts'

const problemsOf = (html: string): string[] => readPage(html).problems.map(({ line, message }) => `${line}: ${message}`)

proves('pages.refused', 'what could run, load or send something is refused with its line', () => {
  const refused: [string, RegExp][] = [
    ['<script>alert(1)</script>', /<script> cannot be part of a page/],
    ['<script src="https://example.com/x.js"></script>', /<script>/],
    ['<script type="module">import "x"</script>', /<script>/],
    ['<script type="text/javascript">x</script>', /<script>/],
    ['<iframe src="https://example.com"></iframe>', /<iframe>/],
    ['<iframe srcdoc="<script>x</script>"></iframe>', /<iframe>/],
    ['<object data="x"></object>', /<object>/],
    ['<embed src="x">', /<embed>/],
    ['<applet code="x"></applet>', /<applet>/],
    ['<form action="/x"><p>x</p></form>', /<form>/],
    ['<input value="x">', /<input>.*sends nothing/],
    ['<button>x</button>', /<button>/],
    ['<textarea></textarea>', /<textarea>/],
    ['<select><option>x</option></select>', /<select>/],
    ['<base href="https://example.com/">', /<base>/],
    ['<meta http-equiv="refresh" content="0;url=https://example.com">', /<meta>/],
    ['<link rel="stylesheet" href="https://example.com/x.css">', /<link>.*loads nothing/],
    ['<link rel="dns-prefetch" href="//example.com">', /<link>/],
    ['<template><p>x</p></template>', /<template>/],
    ['<noscript><p>x</p></noscript>', /<noscript>/],
    ['<portal src="x"></portal>', /<portal>/],
    ['<video src="x"></video>', /<video>/],
    ['<audio src="x"></audio>', /<audio>/],
    ['<dialog open>x</dialog>', /<dialog>/],
    ['<marquee>x</marquee>', /<marquee>/],
    ['<my-widget></my-widget>', /<my-widget>/],
    ['<math><mi>x</mi></math>', /<math>/],
    ['<p onclick="x()">x</p>', /onclick= cannot stand on <p>/],
    ['<img src="data:image/png;base64,AAAA" onerror="x()">', /onerror=/],
    ['<svg onload="x()"></svg>', /onload=/],
    ['<a href="javascript:alert(1)">x</a>', /A link must be a whole URL/],
    ['<a href="&#106;avascript:alert(1)">x</a>', /A link must be a whole URL/],
    ['<a href="java&Tab;script:alert(1)">x</a>', /A link must be a whole URL/],
    ['<a href="data:text/html,x">x</a>', /A link must be a whole URL/],
    ['<a href="/relative">x</a>', /A link must be a whole URL/],
    ['<a href="//example.com">x</a>', /A link must be a whole URL/],
    ['<a href="javascript:{{ data.a }}">x</a>', /A link must be a whole URL/],
    ['<a href="https://example.com" ping="https://example.com/p">x</a>', /ping=/],
    ['<img src="https://example.com/x.png">', /A page loads nothing/],
    ['<img src="data:text/html,x">', /A page loads nothing/],
    ['<img srcset="https://example.com/x.png 2x">', /srcset=/],
    ['<img src="https://example.com/{{ data.a }}">', /one value or a data: URL/],
    ['<table background="https://example.com/x"></table>', /background=/],
    ['<svg><use href="https://example.com/x.svg#a"></use></svg>', /<use>/],
    ['<svg><image href="https://example.com/x.png"></image></svg>', /<image>/],
    ['<svg><a xlink:href="javascript:x"><text>x</text></a></svg>', /<a>|xlink:href=/],
    ['<svg><foreignObject><p>x</p></foreignObject></svg>', /<foreignObject>/],
    ['<svg><script>x</script></svg>', /<script>/],
    ['<svg><style>x</style></svg>', /<style>/],
    ['<svg><animate attributeName="href" to="javascript:x"></animate></svg>', /<animate>/],
    ['<svg><set attributeName="href" to="x"></set></svg>', /<set>/],
    ['<svg><linearGradient href="https://example.com/x#a"></linearGradient></svg>', /href=/],
    ['<svg><rect fill="url(https://example.com/x#a)"></rect></svg>', /cannot load anything/],
    ['<svg><rect fill="url({{ data.a }})"></rect></svg>', /cannot load anything/],
    ['<svg><title><p>x</p></title></svg>', /holds text only/],
    ['<style>@import "https://example.com/x.css"</style>', /cannot load anything/],
    ['<style>p{background:url(https://example.com/x)}</style>', /cannot load anything/],
    ['<p style="background:url(//example.com/x)">x</p>', /cannot load anything/],
    ['<frameset><frame src="x"></frameset>', /<frameset>/],
  ]
  for (const [html, message] of refused) {
    const [problem, ...more] = readPage(`<p>fine</p>\n\n${html}`).problems
    if (html.startsWith('<frameset')) assert.ok(readPage(html).problems.length > 0, html)
    else
      assert.ok(
        problem?.line === 3 && message.test(problem.message),
        `${html}: ${problem?.line} ${problem?.message} ${more.length}`,
      )
  }
})

proves('pages.refused', 'a value stands in text, attributes, URLs and JSON only', () => {
  const refused: [string, RegExp][] = [
    ['<{{ data.a }}>x</p>', /name of an element/],
    ['</{{ data.a }}>', /name of an element/],
    ['<div{{ data.a }}>x</div>', /name of an element/],
    ['<p {{ data.a }}="x">x</p>', /name of an attribute/],
    ['<p {{ data.a }}>x</p>', /name of an attribute/],
    ['<!-- {{ data.a }} -->', /in a comment/],
    ['<style>p{color:{{ data.a }}}</style>', /cannot stand in <style>/],
    ['<p style="width:{{ data.a }}%">x</p>', /cannot stand in style=/],
    ['<title>{{ data.a }}</title>', /<title>/],
    ['<p foo="{{ data.a }}">x</p>', /foo= means nothing/],
    ['<script type="application/json">{"a": x{{ data.a }}}</script>', /is not JSON/],
    ['<script type="application/json">{"{{ data.a }}": 1}</script>', /part of a name in JSON/],
    ['<p if="{{ data.a }}">x</p>', /without \{\{ \}\}/],
    ['<p each="{{ data.a }}">x</p>', /each="row in data.fetch.rows"/],
    ['<p each="data in data.a">x</p>', /Choose another name/],
    ['<p if="row.x">x</p>', /"row" is not known/],
    ['<p>{{ steps.a }}</p>', /"steps" is not known. An expression reads data/],
    ['<p>{{ data }}</p>', /Say which step/],
    ['<p>{{ data[1] }}</p>', /Name the step/],
    ['<p>{{ data.a </p>', /is not closed/],
    ['<bar-chart x="a"></bar-chart>', /needs rows=/],
    ['<big-number label="a"></big-number>', /needs value=/],
    ['<bar-chart rows="{{ data.a }}" foo="1"></bar-chart>', /has no foo=. It takes rows/],
    ['<bar-chart rows="{{ data.a }}"><p>x</p></bar-chart>', /takes no content/],
    ['<p><bar-chart rows="{{ data.a }}"></bar-chart></p>', /cannot stand inside <p>/],
  ]
  for (const [html, message] of refused) {
    const problem = readPage(`<p>fine</p>\n${html}`).problems[0]
    assert.ok(problem?.line === 2 && message.test(problem.message), `${html}: ${problem?.line} ${problem?.message}`)
  }
})

proves('pages.refused', 'a whole document, styles, pictures and tables are fine, and noise is left out', () => {
  const html = `<!doctype html><html lang="de"><head><meta charset="utf-8"><meta name="viewport" content="x"><title>T</title>
<style>@media print { p { color: red } } .a::after { content: "</p>" }</style></head>
<body class="x"><!-- a comment --><h1>A</h1><p itemscope foo="1" class="a" style="color: red" data-x="1" aria-label="b">x</p>
<a href="https://example.com" target="_self" rel="opener">a</a><a href="#b">b</a><a href="mailto:a@example.com">c</a>
<svg viewBox="0 0 10 10"><defs><linearGradient id="g"><stop offset="0"/></linearGradient></defs><path d="M0 0L10 10" fill="url(#g)"/></svg>
<img src="data:image/png;base64,AAAA" alt="x"><img src="{{ data.pic }}">
<table><tr each="row in data.fetch.rows" if="row.n > 3 and row.name != &quot;x&quot;"><td each="cell in row.cells">{{ cell < 3 }}{{ row["a>b"] }}</td></tr></table>
<details open="{{ data.more.open }}"><summary>s</summary>x</details></body></html>`
  assert.deepEqual(problemsOf(html), [])
  const { page } = readPage(html)
  assert.deepEqual(page.reads.toSorted(), ['fetch', 'more', 'pic'])
  assert.ok(page.hasHeading)
  assert.doesNotMatch(JSON.stringify(page.nodes), /itemscope|comment|foo/)
})

const sentence = (html: string): string | undefined => readPage(html).problems[0]?.message

proves('pages.bounds', 'hostile templates are refused or read in bounded time', (t) => {
  const size = 256 * 1024
  const times = (text: string): string => text.repeat(Math.floor(size / text.length))
  const shapes: Record<string, string> = {
    'deep nesting': times('<div>'),
    'deep formatting': Array.from({ length: 20_000 }, (_, n) => `<b a${n}>`).join(''),
    'formatting in paragraphs': Array.from({ length: 12_000 }, (_, n) => `<p><b a${n}>`).join(''),
    '100,000 elements': '<br>'.repeat(60_000),
    'many attributes': `<p ${Array.from({ length: 30_000 }, (_, n) => `a${n}`).join(' ')}>x</p>`,
    'many bodies': Array.from({ length: 18_000 }, (_, n) => `<body a${n}>`).join(''),
    'unclosed tables': times('<table><td>'),
    'foster parents': `<table>${times('<i>x')}`,
    comments: times('<!-->'),
    holes: times('{{ data.a }}'),
    'broken holes': times('{{ a\n'),
    'style of brackets': `<style>${times('{')}</style>`,
    'style of slashes': `<style>${times('/*')}</style>`,
    'style of urls': `<style>${times('url( ')}</style>`,
    entities: times('&amp'),
    'open tags': times('<a '),
    'open quotes': times('<a x="'),
    ends: times('</p>'),
    svg: times('<svg><g>'),
    'each in each': `${'<p>'.repeat(1)}${times('<span each="a in data.a">')}`,
    'json of brackets': `<script type="application/json">${times('[')}</script>`,
    'forged marks': times('&#xFDD0;7&#xFDD1;'),
  }
  let slowest = { name: '', ms: 0 }
  for (const [name, html] of Object.entries(shapes)) {
    const began = performance.now()
    readPage(html.slice(0, size))
    const ms = performance.now() - began
    if (ms > slowest.ms) slowest = { name, ms }
  }
  t.diagnostic(
    `${Object.keys(shapes).length} templates of 256 KiB; slowest ${Math.round(slowest.ms)} ms: ${slowest.name}`,
  )
  assert.match(sentence(times('<div>')) ?? '', /nested deeper than 100 levels/)
  assert.match(sentence('<br>'.repeat(60_000)) ?? '', /more than 20,000 elements/)
  assert.match(sentence('x'.repeat(size + 1)) ?? '', /longer than 262,144 characters/)
  assert.ok(readPage(times('<script></script>')).problems.length <= 100)
})
