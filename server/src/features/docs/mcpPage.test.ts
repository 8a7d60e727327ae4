// The page about MCP: snippets that their clients can read, with this server's own address and without a key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mcpClients } from './mcpClients.ts'
import { mcpPage } from './mcpPage.ts'
import { proves } from '../../../test/kit/proves.ts'

const baseUrl = 'https://runyard.example.com'

proves('mcp.docs', 'every client gets a snippet with the address of this server, in a format that it can read', () => {
  const clients = mcpClients(baseUrl)
  assert.deepEqual(
    clients.map(({ name }) => name),
    ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Codex'],
  )
  for (const { name, snippet } of clients) {
    assert.ok(snippet.includes(`${baseUrl}/v2/mcp`), name)
    assert.doesNotMatch(snippet, /ry_/)
    if (snippet.startsWith('{')) JSON.parse(snippet)
  }
  assert.match(JSON.stringify(mcpClients('http://10.0.0.5:4700')), /--allow-http/)
  assert.doesNotMatch(JSON.stringify(mcpClients('http://127.0.0.1:4700')), /--allow-http/)
})

test('the page shows all of them, loads nothing and runs nothing', () => {
  const page = mcpPage(baseUrl)
  for (const { name } of mcpClients(baseUrl)) assert.ok(page.includes(`<h3>${name}</h3>`))
  assert.doesNotMatch(page, /<script|<link|<img|src=/)
  assert.ok(page.includes('&lt;your key&gt;'))
})
