// The official conformance suite against our MCP client: every client scenario, authorisation first of all.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createOutbound } from '../../src/base/outbound/fetch.ts'
import { createGuard } from '../../src/base/outbound/guard.ts'
import { play, type Given } from './client.ts'
import { proves } from '../kit/proves.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** The scenarios that say nothing about our client here, with the reason. */
const excused: Record<string, string> = {
  // MCP 2025-11-25, client/elicitation: only clients that declare the capability must support it. Ours declares none: nobody sits before
  // a run to fill in another server's form.
  'elicitation-sep1034-client-defaults': 'an optional capability',
  // it wants a reconnection within 200 ms of the agreed time, which a busy machine cannot promise; alone it passes
  'sse-retry': 'measures time',
}

proves('mcpClient.conformance', 'the official suite finds nothing wrong with our MCP client', async (t) => {
  const outbound = createOutbound(createGuard({ allowPrivateHosts: ['localhost', '127.0.0.0/8', '::1/128'] }))
  t.after(outbound.close)
  const gaveUp: string[] = []
  const playOne = async (request: IncomingMessage): Promise<void> => {
    const asked = JSON.parse((await request.toArray()).join('')) as { scenario: string; given: Given; url: string }
    gaveUp.push(asked.scenario)
    await play({ ...asked, door: { fetch: outbound.fetch, signal: AbortSignal.timeout(55_000) } })
    gaveUp.splice(gaveUp.indexOf(asked.scenario), 1)
  }
  const player = createServer((request, response) => {
    playOne(request).then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => player.listen(0, '127.0.0.1', resolve))
  t.after(() => player.close())
  const { port } = player.address() as AddressInfo
  const said = await run(`http://127.0.0.1:${port}`)
  const judged = [...said.matchAll(/^([✓✗]) (\S+): (.*)$/gm)].map(([, mark, name, count]) => ({
    mark,
    name: name!,
    count,
  }))
  const wanted = judged.filter(({ name }) => !(name in excused))
  assert.equal(judged.length, 26, said)
  assert.equal(wanted.filter(({ name }) => name.startsWith('auth/')).length, 22)
  for (const { mark, name, count } of wanted) {
    assert.ok(mark === '✓' && /^[1-9]\d* passed, 0 failed$/.test(count!), `${name}: ${count}\n${said}`)
  }
  const rightly = ['auth/resource-mismatch', 'auth/scope-retry-limit']
  assert.deepEqual(
    gaveUp.filter((name) => !(name in excused)).toSorted((a, b) => a.localeCompare(b)),
    rightly,
    said,
  )
})

function run(player: string): Promise<string> {
  const args = [
    'client',
    '--suite',
    'all',
    '--timeout',
    '60000',
    '--command',
    `${process.execPath} ${fileOf('./relay.ts')}`,
  ]
  const env = { ...process.env, CONFORMANCE_PLAYER: player }
  return new Promise((resolve) => {
    // its exit code counts the excused ones as well: what it says is looked at instead
    execFile(process.execPath, [suite, ...args], { cwd: tmpdir(), env, maxBuffer: 1 << 26 }, (_error, stdout, stderr) =>
      resolve(`${stderr}\n${stdout}`),
    )
  })
}
