// The set-ups of MCP clients: each has the origin of the page, and nothing of the placeholder is left.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mcpSnippets } from './mcpSnippets.ts'

test('each set-up has the origin of the page', async () => {
  for (const origin of ['http://127.0.0.1:4700', 'https://runyard.example.com', 'http://build-box:4700']) {
    const clients = await mcpSnippets(origin)
    assert.equal(clients.length, 5)
    for (const { name, snippet } of clients) {
      assert.ok(snippet.includes(`${origin}/v2/mcp`), `${name} at ${origin}`)
      assert.ok(!snippet.includes('runyard.invalid'), name)
    }
  }
})

const flagged = async (origin: string) => JSON.stringify(await mcpSnippets(origin)).includes('--allow-http')

test('without TLS on another machine the client that refuses it gets its flag', async () => {
  assert.equal(await flagged('http://build-box:4700'), true)
  assert.equal(await flagged('http://localhost:4700'), false)
  assert.equal(await flagged('https://build-box'), false)
})
