// Commands in bubblewrap: what one of them does to others, and the process that starts them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { proves } from '../../../test/kit/proves.ts'
import { driversUnderTest, openShell } from '../../../test/kit/sandboxDrivers.ts'
import { commandsBelow, nextFile } from '../../../test/kit/sandboxHosts.ts'
import { isGone, sampleProc } from './processTree.ts'

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

proves(
  'sandbox.launcher',
  'when the process that starts commands is killed, a command under way is answered as died with nothing of it left, and the next one runs',
  { skip: bubblewrap.skip },
  async (t) => {
    const driver = await bubblewrap.make()
    t.after(() => driver.close())
    const { run, folder } = await openShell(t, driver)
    const begun = nextFile([folder], 'begun')
    const running = run('bash', 'echo > begun; sleep 600')
    await begun
    const processes = commandsBelow(process.pid)
    assert.ok(processes.length > 0)
    const launchers = sampleProc(process.pid, 1000)
      .pids.slice(1)
      .filter((pid) => !processes.includes(pid))
    assert.equal(launchers.length, 1)
    process.kill(launchers[0]!, 'SIGKILL')
    const { exit_code, cut_off, stderr } = await running
    assert.deepEqual([exit_code, cut_off], [137, 'died'])
    assert.match(stderr, /died while it ran this/)
    // a test that fails here hangs until its time limit: there is no moment by which the kernel must be done
    while (!processes.every(isGone)) await sleep(10)
    assert.equal((await run('bash', 'echo again')).stdout, 'again\n')
  },
)

proves(
  'sandbox.pace',
  'output beyond what is shown is read at a bounded pace until the command ends',
  { skip: bubblewrap.skip },
  async (t) => {
    const driver = await bubblewrap.make()
    t.after(() => driver.close())
    const { run } = await openShell(t, driver)
    const wanted = { outputBytesMax: 1000 }
    const { stderr, truncated } = await run('bash', 'timeout -s INT 1 dd if=/dev/zero bs=65536', wanted)
    assert.ok(truncated)
    const written = Number(/^(\d+) bytes/m.exec(stderr)?.[1])
    // some 21 MB in a second; without a bound it is some 1,000
    assert.ok(written > 0 && written < 100e6, `${written} bytes`)
    const whole = await run('bash', 'head -c 5000000 /dev/zero; echo done >&2', wanted)
    assert.deepEqual([whole.exit_code, whole.stderr, whole.truncated], [0, 'done\n', true])
  },
)
