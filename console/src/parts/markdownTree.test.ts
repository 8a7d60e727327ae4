// Markdown of strangers: what becomes an element, and what stays text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkdown, type Node } from './markdownTree.ts'

const links = (nodes: Node[]): string[] =>
  nodes.flatMap((node) =>
    typeof node === 'string' ? [] : [...(node.href === undefined ? [] : [node.href]), ...links(node.children)],
  )

const words = (nodes: Node[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : words(node.children))).join('')

void test('headings, lists, tables and code become elements', () => {
  const [heading, list, table, code] = readMarkdown(
    '# Result\n\n- one\n- **two**\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```\nx\n```\n',
  )
  assert.deepEqual(heading, { tag: 'h3', children: ['Result'] })
  assert.deepEqual(list, {
    tag: 'ul',
    children: [
      { tag: 'li', children: ['one'] },
      { tag: 'li', children: [{ tag: 'strong', children: ['two'] }] },
    ],
  })
  assert.match(JSON.stringify(table), /"tag":"td","children":\["2"\],"align":"right"/)
  assert.deepEqual(code, { tag: 'pre', children: ['x'] })
})

void test('raw HTML is text', () => {
  const source = '<script>alert(1)</script> <img src=x onerror=alert(1)> <a href="javascript:x">a</a>'
  assert.equal(words(readMarkdown(source)), source)
  assert.deepEqual(links(readMarkdown(source)), [])
})

void test('only http, https and mailto become links', () => {
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '/runs',
    '#x',
    '//evil.example',
    'https://bank.example@evil.example/',
  ]) {
    const nodes = readMarkdown(`[press](${address}) ![see](${address}) <${address}>`)
    assert.deepEqual(links(nodes), [], address)
    assert.match(words(nodes), /press/)
  }
  assert.deepEqual(links(readMarkdown('[a](https://a.example/x) [b](mailto:b@a.example)')), [
    'https://a.example/x',
    'mailto:b@a.example',
  ])
})

void test('an image is never loaded: it becomes a link with its text', () => {
  assert.deepEqual(readMarkdown('![a cat](https://a.example/cat.png)'), [
    { tag: 'p', children: [{ tag: 'a', href: 'https://a.example/cat.png', children: ['Image: a cat'] }] },
  ])
})

void test('a link whose text names another host shows the true one', () => {
  assert.equal(
    words(readMarkdown('[https://bank.example/login](https://evil.example/)')),
    'https://bank.example/login (evil.example)',
  )
  assert.equal(words(readMarkdown('[bank.example](https://bank.example/x)')), 'bank.example')
  assert.equal(words(readMarkdown('[the report](https://a.example/x)')), 'the report')
})

void test('deep and long texts end in time', () => {
  const started = Date.now()
  for (const text of [
    '>'.repeat(40_000),
    '['.repeat(40_000),
    '*a '.repeat(13_000),
    '- '.repeat(20_000),
    '`'.repeat(40_000),
    '|'.repeat(40_000),
  ])
    readMarkdown(text)
  assert.ok(Date.now() - started < 10_000)
})
