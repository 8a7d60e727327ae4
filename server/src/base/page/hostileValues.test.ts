// Values of data in the four places of a template: whatever they hold, the page has the elements and attributes of its template.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { proves } from '../../../test/kit/proves.ts'
import { StepBudget } from '../stepBudget.ts'
import { readPage } from './readPage.ts'
import { renderPage } from './renderPage.ts'

type Node = DefaultTreeAdapterTypes.ChildNode

/** How many values are tried in each place: every piece alone, then what is drawn. */
const numRuns = isLongForm ? 500 : 150

const pieces = [
  `<script>alert(1)</script> </script> <!-- --> ]]> <![CDATA[ </style> </title> </textarea> </svg> <table> <p> <svg> <math> <template>`,
  `<img/src=x/onerror=alert(1)> " ' \` > < / = & &lt; &#60; &quot; \\ \\{{ }} {{data.x.v}} .. . %2e%2e \uFDD0`,
  `javascript:alert(1) JaVaScRiPt: data:text/html,<script>x</script> vbscript:x https://example.com/ //evil.example mailto:a@b.example #top`,
  `\0 \u2028 \u2029 \uD800 \uDFFF \uFEFF \u202E \u00A0`,
]
  .flatMap((line) => line.split(' '))
  .concat(
    ' ',
    '\r',
    '\n',
    '\r\n',
    '\t',
    'java\tscript:x',
    '\u0001javascript:x',
    ' onload="x"',
    "' onclick='x",
    '\uFDD00\uFDD1',
  )
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
)
const value = fc.oneof(
  hostile,
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(hostile, { maxLength: 3 }),
  fc.dictionary(hostile, hostile, { maxKeys: 3 }),
)

function pageOf(template: string, given: unknown): Node[] {
  const { page, problems } = readPage(template)
  assert.deepEqual(problems, [])
  const { html } = renderPage(page, {
    data: { x: { v: given } },
    title: 'T',
    at: new Date(0),
    budget: new StepBudget(5_000_000),
  })
  return parse(html).childNodes
}

/** The elements with the names of their attributes, without texts. A dead link has no href. */
function shapeOf(nodes: Node[]): unknown[] {
  return nodes.flatMap((node): unknown[] => {
    if (node.nodeName === '#text' || node.nodeName === '#documentType') return []
    if (!('tagName' in node)) return [node.nodeName]
    const names = node.attrs.map(({ name }) => name).filter((name) => !['href', 'target', 'rel'].includes(name))
    return [[node.nodeName, names.join(' '), ...shapeOf(node.childNodes)]]
  })
}

function find(nodes: Node[], id: string): DefaultTreeAdapterTypes.Element {
  const open = [...nodes]
  for (let node = open.pop(); node; node = open.pop()) {
    if (!('childNodes' in node)) continue
    if ('attrs' in node && node.attrs.some(({ name, value: text }) => name === 'id' && text === id)) return node
    open.push(...node.childNodes)
  }
  throw new Error(`no element ${id}`)
}

const textOf = (node: Node): string =>
  'childNodes' in node ? node.childNodes.map(textOf).join('') : 'value' in node ? node.value : ''
const attributeOf = (element: DefaultTreeAdapterTypes.Element, wanted: string): string | undefined =>
  element.attrs.find(({ name }) => name === wanted)?.value

/** What HTML can carry of a text. */
const carried = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')
const shown = (given: unknown, none: string): string =>
  given === null ? none : typeof given === 'string' ? given : JSON.stringify(given)

function check(template: string, read: (nodes: Node[], given: unknown) => void): void {
  const expected = shapeOf(pageOf(template, 'harmless'))
  fc.assert(
    fc.property(value, (given) => {
      const nodes = pageOf(template, given)
      assert.deepEqual(shapeOf(nodes), expected)
      read(nodes, given)
    }),
    { numRuns, examples: pieces.map((piece): [string] => [piece]) },
  )
}

proves('pages.values', 'a value in text stays text', () => {
  const template =
    '<p id="a">{{ data.x.v }}</p><p id="b">1{{ data.x.v }}2</p><pre id="c">{{ data.x.v }}</pre><table><tr><td id="d">{{ data.x.v }}</table><svg><text>{{ data.x.v }}</text><title>{{ data.x.v }}</title></svg>'
  check(template, (nodes, given) => {
    const text = carried(shown(given, '–') || '–')
    for (const id of ['a', 'c', 'd']) assert.equal(textOf(find(nodes, id)), text)
    assert.equal(textOf(find(nodes, 'b')), `1${text}2`)
  })
})

proves('pages.values', 'a value in an attribute stays in it', () => {
  const template = `<p id="a" title="{{ data.x.v }}">x</p><p id='b' class='one {{ data.x.v }}'>x</p><p id=c data-x={{data.x.v}}>x</p><big-number value="1" label="L {{ data.x.v }}"></big-number>`
  check(template, (nodes, given) => {
    const text = carried(shown(given, ''))
    assert.equal(attributeOf(find(nodes, 'a'), 'title'), text)
    assert.equal(attributeOf(find(nodes, 'b'), 'class'), `one ${text}`)
    assert.equal(attributeOf(find(nodes, 'c'), 'data-x'), text)
  })
})

proves('pages.values', 'a value in a URL leads to http, https, mailto or nowhere', () => {
  const template =
    '<a id="a" href="{{ data.x.v }}">x</a><a id="b" href="https://example.com/items/{{ data.x.v }}?q={{ data.x.v }}">x</a><a id="c" href="{{ data.x.v }}/more">x</a><a id="d" href="https://{{ data.x.v }}/x">x</a>'
  check(template, (nodes) => {
    for (const id of ['a', 'b', 'c', 'd']) {
      const href = attributeOf(find(nodes, id), 'href')
      if (href === undefined || href.startsWith('#')) continue
      assert.match(href, /^(?:https?:|mailto:)/)
      assert.equal(attributeOf(find(nodes, id), 'rel'), 'noopener noreferrer')
    }
    const inside = attributeOf(find(nodes, 'b'), 'href')
    if (inside !== undefined) assert.match(inside, /^https:\/\/example\.com\/items\/[^/?#]*\?q=[^&#]*$/)
  })
})

proves('pages.values', 'a value in JSON stays a value', () => {
  const template = '<script type="application/json" id="a">{"v": {{ data.x.v }}, "s": "<{{ data.x.v }}/"}</script>'
  check(template, (nodes, given) => {
    const read = JSON.parse(textOf(find(nodes, 'a'))) as { v: unknown; s: string }
    assert.deepEqual(read.v, JSON.parse(JSON.stringify(given)))
    assert.equal(read.s, `<${shown(given, '')}/`)
  })
})

const chart = (name: string): string =>
  `<${name} title="{{ data.x.v }}" rows="{{ data.x.v }}" unit="{{ data.x.v }}" y="n" x="name"></${name}>`

proves('pages.values', 'values in charts, tables and titles stay values', () => {
  const { page, problems } = readPage(
    `${['bar-chart', 'line-chart', 'area-chart'].map(chart).join('')}<data-table rows="{{ data.x.v }}" columns="{{ data.x.c }}"></data-table>`,
  )
  assert.deepEqual(problems, [])
  const allowed = new Set(
    'html head meta title style body header h1 p time main figure figcaption ul li i svg g rect line text circle path div table thead tbody tr th td button footer script'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 4 }), hostile, (texts, title) => {
      const rows = texts.map((name, n) => ({ name, n, [name]: name }))
      const { html, markdown } = renderPage(page, {
        data: { x: { v: rows, c: title } },
        title,
        at: new Date(0),
        budget: new StepBudget(5_000_000),
      })
      const names: string[] = []
      const visit = (node: Node): void => {
        if (!('tagName' in node)) return
        names.push(node.tagName)
        for (const { name } of node.attrs) assert.doesNotMatch(name, /^on|^src$|^href$/)
        node.childNodes.forEach(visit)
      }
      parse(html).childNodes.forEach(visit)
      assert.deepEqual(
        names.filter((name) => !allowed.has(name)),
        [],
      )
      assert.equal(names.filter((name) => name === 'script').length, 1)
      assert.doesNotMatch(markdown, /(?<!\\)<(?:script|img|svg|p|table)/)
    }),
    { numRuns, examples: pieces.map((piece): [string[], string] => [[piece], piece]) },
  )
})
