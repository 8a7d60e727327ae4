// What a file is shown as: nothing that could run is ever anything but text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobOf, shownAs } from './preview.ts'

const text = (path: string, content = 'x') => shownAs({ path, encoding: 'utf-8', content })
const bytes = (path: string, content = 'AAAA') => shownAs({ path, encoding: 'base64', content })

test('HTML, SVG, XML and scripts are text, whatever they are called', () => {
  for (const path of ['a.html', 'a.HTM', 'a.svg', 'a.xml', 'a.js', 'a.xhtml', 'a', 'a.png.html'])
    assert.equal(text(path, '<script>alert(1)</script>'), 'text')
  for (const path of ['a.html', 'a.svg', 'a.bin', 'a.pdf']) assert.equal(bytes(path), 'none')
})

test('tables, Markdown, JSON, pictures and PDFs are shown as such', () => {
  assert.equal(text('a.csv'), 'table')
  assert.equal(text('a.md'), 'markdown')
  assert.equal(text('a.json', '{"a": 1}'), 'json')
  assert.equal(text('a.json', '{"a": '), 'text')
  assert.equal(bytes('a.jpg'), 'picture')
  assert.equal(bytes('a.pdf', 'JVBERi0xLjc='), 'pdf')
  assert.equal(shownAs({ path: 'big.csv', encoding: 'base64', content: null }), 'none')
})

test('bytes keep their value and get the type that we chose', async () => {
  const blob = blobOf({ content: 'AP8Q', encoding: 'base64' }, 'image/png')
  assert.deepEqual([...new Uint8Array(await blob.arrayBuffer())], [0, 255, 16])
  assert.equal(blob.type, 'image/png')
})
