// Commands in bubblewrap side by side: what one of them does to the way that others have to the network.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { proves } from '../../../test/kit/proves.ts'
import { driversUnderTest, openShell } from '../../../test/kit/sandboxDrivers.ts'
import { nextFile } from '../../../test/kit/sandboxHosts.ts'

const [, bubblewrap] = await driversUnderTest()

/** Asks for more tunnels than it may have, says when each was opened or cut, and keeps those that it has. */
const tunnels = (to: string): string => `
  const { connect } = require('node:net')
  const one = () => new Promise((settled) => {
    const socket = connect(3128, '127.0.0.1').on('error', settled).on('data', settled).on('close', settled)
    socket.write('CONNECT ${to} HTTP/1.1\\r\\nhost: ${to}\\r\\n\\r\\n')
  })
  Promise.all(Array.from({ length: 300 }, one)).then(() => require('node:fs').writeFileSync('begun', ''))
  setInterval(() => {}, 1000)`

proves(
  'sandbox.connections',
  'a command reaches its host while another holds all connections that it can get',
  { skip: bubblewrap.skip },
  async (t) => {
    const server = createServer((_request, response) => response.end('hello'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => (server.close(), server.closeAllConnections()))
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const driver = await bubblewrap.make({ hosts: [host] })
    t.after(() => driver.close())
    const [greedy, other] = [await openShell(t, driver), await openShell(t, driver)]
    const leaving = new AbortController()
    const begun = nextFile([greedy.folder], 'begun')
    const held = assert.rejects(greedy.run('js', tunnels(host), { signal: leaving.signal }))
    await begun
    const { stdout } = await other.run('js', `fetch('http://${host}/').then((r) => r.text()).then(console.log)`)
    assert.equal(stdout, 'hello\n')
    leaving.abort()
    await held
  },
)
