// The remote driver and real sandbox hosts: whom they refuse, how they share slots, what they carry, and how they stop.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { proves } from '../../../../test/kit/proves.ts'
import { closeAfterwards, driversUnderTest, never, openShell } from '../../../../test/kit/sandboxDrivers.ts'
import { nextFile, sandboxToken, startSandboxHost } from '../../../../test/kit/sandboxHosts.ts'
import { selfSigned } from '../../../../test/kit/selfSigned.ts'
import { ConfigError, readConfig } from '../../../base/config.ts'
import { createLog } from '../../../base/log.ts'
import { sandboxHost } from '../../../cli/sandboxHost.ts'
import type { SandboxDriver } from '../sandbox.ts'
import { lineOf } from './frames.ts'
import { protocolHeader, protocolVersion } from './protocol.ts'
import { remoteDriver } from './remote.ts'

const [, bubblewrap] = await driversUnderTest()
const needsBubblewrap = { skip: bubblewrap.skip }
const host = await startSandboxHost({ RUNYARD_SANDBOX_SHELLS: '1' })
closeAfterwards({ close: () => host.stop() })

const lines: string[] = []
const log = createLog('debug', { write: (line: string) => lines.push(line) })
const logged = (): string => lines.join('')

function driverOf(
  t: TestContext,
  urls: string[],
  more: { token?: string; hosts?: string[]; bytesMax?: number } = {},
): SandboxDriver {
  const driver = remoteDriver({ urls, token: sandboxToken, bytesMax: 1e9, hosts: [], shellsMax: 4, log, ...more })
  t.after(() => driver.close())
  return driver
}

async function fakeHost(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A host that answers every command with these bytes. */
const answering = (t: TestContext, answer: () => Buffer[]): Promise<string> =>
  fakeHost(t, (request, response) => {
    request.resume()
    response.setHeader(protocolHeader, protocolVersion)
    if (request.url === '/v1/sandboxes') {
      response.writeHead(201).end(JSON.stringify({ id: '0'.repeat(36), lease_ms: 60_000 }))
    } else if (request.url!.endsWith('/command')) {
      response.writeHead(200)
      response.end(Buffer.concat(answer()))
    } else response.writeHead(204).end()
  })

const asked = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${host.url}${path}`, {
    headers: { authorization: `Bearer ${sandboxToken}`, [protocolHeader]: '1', ...headers },
  })

const refusedHost = async (env: Record<string, string>, says: RegExp): Promise<void> => {
  const start = async () =>
    sandboxHost({ config: readConfig(env), log, positionals: [], values: {}, signal: never, print: () => undefined })
  await assert.rejects(start, (error) => error instanceof ConfigError && says.test(error.message))
}

const refusedWorker = (env: Record<string, string>, says: RegExp): void =>
  assert.throws(() => readConfig({ RUNYARD_SANDBOX_TOKEN: sandboxToken, ...env }), says)

const result = (more = {}) =>
  lineOf({
    executed: {
      exit_code: 0,
      truncated: false,
      duration_ms: 1,
      cut_off: null,
      stdout_bytes: 0,
      stderr_bytes: 0,
      unkept: [],
      is_whole: true,
      ...more,
    },
  })

proves('sandbox.remote.refusals', 'a host says that it lives, and answers nothing else without its token', async () => {
  for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(`${host.url}${path}`)).status, 200)
  assert.equal((await asked('/v1/host', { authorization: '' })).status, 401)
  assert.equal((await asked('/v1/host', { authorization: `Bearer ${sandboxToken}x` })).status, 401)
  assert.equal((await asked('/v1/host')).status, 200)
  assert.equal((await asked('/v1/other')).status, 404)
})

proves('sandbox.remote.refusals', 'both sides refuse another version of the protocol, and say which', async (t) => {
  const refused = await asked('/v1/host', { [protocolHeader]: '2', 'runyard-version': '9.9.9' })
  assert.equal(refused.status, 409)
  const { message } = (await refused.json()) as { message: string }
  assert.match(
    message,
    /speaks protocol 1, and the worker \(Runyard 9\.9\.9\) protocol 2\. Run the same version on both/,
  )
  const newer = await fakeHost(t, (_request, response) =>
    response.writeHead(201, { [protocolHeader]: '2', 'runyard-version': '9.9.9' }).end('{}'),
  )
  const { run } = await openShell(t, driverOf(t, [newer]))
  await assert.rejects(run('bash', 'true'), /No machine for sandboxes takes commands now/)
  assert.match(logged(), /\(Runyard 9\.9\.9\) speaks protocol 2; this worker/)
})

proves('sandbox.remote.refusals', 'a worker with another token or another list of hosts is refused', async (t) => {
  const stranger = await openShell(t, driverOf(t, [host.url], { token: 'another-token-of-more-than-32-characters' }))
  await assert.rejects(stranger.run('bash', 'true'), /No machine/)
  assert.match(logged(), /Set RUNYARD_SANDBOX_TOKEN to the same value on both sides/)
  const reaching = await openShell(t, driverOf(t, [host.url], { hosts: ['api.example.com'] }))
  await assert.rejects(reaching.run('bash', 'true'), /No machine/)
  assert.match(logged(), /Set RUNYARD_SANDBOX_HOSTS to the same list on both sides/)
})

proves('sandbox.remote.refusals', 'a host does not start with a short token, or in the open without TLS', async () => {
  await refusedHost({}, /RUNYARD_SANDBOX_TOKEN must be set/)
  await refusedHost({ RUNYARD_SANDBOX_TOKEN: 'short' }, /RUNYARD_SANDBOX_TOKEN must be 32 or more/)
  const open = { RUNYARD_SANDBOX_TOKEN: sandboxToken, RUNYARD_SANDBOX_LISTEN: '0.0.0.0:0' }
  await refusedHost(open, /beyond loopback: set RUNYARD_SANDBOX_TLS_CERT_FILE/)
})

proves('sandbox.remote.refusals', 'a worker does not start with URLs that lack a token, a path-free URL or TLS', () => {
  refusedWorker({ RUNYARD_SANDBOX_URLS: 'https://a', RUNYARD_SANDBOX_TOKEN: '' }, /needs RUNYARD_SANDBOX_TOKEN/)
  refusedWorker({ RUNYARD_SANDBOX_URLS: 'https://a/path' }, /without a path/)
  refusedWorker({ RUNYARD_SANDBOX_URLS: 'https://user@a' }, /without a path/)
  refusedWorker({ RUNYARD_SANDBOX_URLS: 'ftp://a' }, /must be a URL such as/)
  refusedWorker({ RUNYARD_SANDBOX_URLS: 'https://a,http://10.0.0.5:4790' }, /must begin with https/)
  refusedWorker({ RUNYARD_SANDBOX_URLS: 'https://a', RUNYARD_SANDBOX: 'bubblewrap' }, /set one of them/)
  refusedWorker({ RUNYARD_SANDBOX_TLS_KEY_FILE: '/key' }, /must both be set, or neither/)
  const urls = 'https://a:4790, http://127.0.0.1:4790'
  const config = readConfig({ RUNYARD_SANDBOX_TOKEN: sandboxToken, RUNYARD_SANDBOX_URLS: urls })
  assert.deepEqual(config.sandboxUrls, ['https://a:4790', 'http://127.0.0.1:4790'])
  const plain = { RUNYARD_SANDBOX_URLS: 'http://10.0.0.5:4790', RUNYARD_SANDBOX_ALLOW_HTTP: '1' }
  assert.equal(readConfig({ RUNYARD_SANDBOX_TOKEN: sandboxToken, ...plain }).sandboxAllowHttp, true)
})

proves(
  'sandbox.remote.choice',
  'a host that does not answer is passed over, and a redirect is not followed',
  async (t) => {
    const seen: string[] = []
    const away = await fakeHost(t, (_request, response) => response.destroy())
    const elsewhere = await fakeHost(t, (request, response) => {
      seen.push(request.url!)
      response.writeHead(307, { location: `${host.url}${request.url}`, [protocolHeader]: protocolVersion }).end()
    })
    const { run } = await openShell(t, driverOf(t, [away, elsewhere, host.url]))
    assert.equal((await run('bash', 'echo here')).stdout, 'here\n')
    assert.deepEqual(seen, ['/v1/sandboxes'])
  },
)

proves(
  'sandbox.remote.choice',
  'shells take turns in one slot: an idle one is ended, and a busy one is waited for',
  async (t) => {
    const driver = driverOf(t, [host.url])
    const [one, other] = [await openShell(t, driver), await openShell(t, driver)]
    await one.run('bash', 'echo one > file')
    await other.run('bash', 'echo other > file')
    assert.equal((await one.run('bash', 'cat file')).stdout, 'one\n')
    const begun = nextFile(await host.workspaces(), 'begun')
    const order: string[] = []
    const busy = one.run('bash', 'echo > begun; sleep 0.3').then(() => order.push('one'))
    await begun
    const waiting = other.run('bash', 'cat file').then(({ stdout }) => order.push(stdout))
    await Promise.all([busy, waiting])
    assert.deepEqual(order, ['one', 'other\n'])
  },
)

proves('sandbox.remote.files', 'what cannot be carried is removed and named', needsBubblewrap, async (t) => {
  const { run, folder } = await openShell(t, driverOf(t, [host.url]))
  const odd = await run(
    'bash',
    "mkfifo pipe; echo x > $'\\xff'; mkdir $'d\\xff'; echo y > $'d\\xff/z'; echo ok > ok; exit 3",
  )
  assert.equal(odd.exit_code, 3)
  assert.match(odd.stderr, /^Only files, folders and links with names in UTF-8 come back .*"pipe"/)
  assert.deepEqual(await readdir(folder), ['ok'])
  assert.equal((await run('bash', 'ls')).stdout, 'ok\n')
})

proves(
  'sandbox.remote.files',
  'a command that leaves too many files saves none of them',
  needsBubblewrap,
  async (t) => {
    const { run, lay, folder } = await openShell(t, driverOf(t, [host.url]))
    await lay('kept', 'kept')
    await assert.rejects(run('bash', 'rm kept; mkdir d; cd d; seq 20001 | xargs touch'), /left more than 20000 files/)
    assert.deepEqual(await readdir(folder), ['kept'])
    assert.equal((await run('bash', 'ls')).stdout, 'kept\n')
  },
)

proves(
  'sandbox.remote.hostile',
  'a host that answers nonsense leaves the folder as it was and the command died',
  async (t) => {
    const file = lineOf({ file: 'new', size: 1, mode: 0o644, mtime_ms: 0 })
    const end = lineOf({ end: true })
    const answers: Buffer[][] = [
      [Buffer.from('<html>hello</html>\n')],
      [Buffer.from('x'.repeat(200_000))],
      [lineOf({ other: true })],
      [result({ exit_code: 'zero' }), end],
      [result({ cut_off: 'something' }), end],
      [result({ stdout_bytes: 200_000 }), Buffer.from('x'.repeat(200_000)), end],
      [result(), lineOf({ file: '../beside', size: 0, mode: 0o644, mtime_ms: 0 }), end],
      [result(), lineOf({ file: 'huge', size: 1e13, mode: 0o644, mtime_ms: 0 }), end],
      [result(), file, Buffer.from('1')],
      [result()],
      Array.from({ length: 10_000 }, () => lineOf({ alive: true })),
      [],
    ]
    let answer: Buffer[] = []
    const url = await answering(t, () => answer)
    const { run, folder } = await openShell(t, driverOf(t, [url]))
    for (answer of answers) {
      const { cut_off, exit_code } = await run('bash', 'true')
      assert.deepEqual([cut_off, exit_code], ['died', 137], String(answer[0]).slice(0, 100))
      assert.deepEqual(await readdir(folder), [])
    }
    // and one that keeps to the protocol is believed
    answer = [result({ exit_code: 5 }), file, Buffer.from('1'), end]
    assert.equal((await run('bash', 'true')).exit_code, 5)
    assert.deepEqual(await readdir(folder), ['new'])
  },
)

proves(
  'sandbox.remote.hostile',
  'while a host does not say that a sandbox has ended, other commands go to other hosts, and the wait ends with the lease',
  async (t) => {
    const opened: string[] = []
    const ending = Promise.withResolvers<void>()
    const lying = await fakeHost(t, (request, response) => {
      request.resume()
      response.setHeader(protocolHeader, protocolVersion)
      if (request.url === '/v1/sandboxes') {
        opened.push(request.url)
        response.writeHead(201).end(JSON.stringify({ id: '0'.repeat(36), lease_ms: 1000 }))
      } else if (request.url!.endsWith('/command')) response.writeHead(200).end('<html>')
      else if (request.method === 'DELETE') {
        response.writeHead(500).end()
        ending.resolve()
      } else response.writeHead(204).end()
    })
    const driver = driverOf(t, [lying, host.url])
    const [first, second] = [await openShell(t, driver), await openShell(t, driver)]
    const broken = first.run('bash', 'true')
    await ending.promise
    assert.equal((await second.run('bash', 'echo here')).stdout, 'here\n')
    assert.equal((await broken).cut_off, 'died')
    assert.equal(opened.length, 1)
  },
)

proves('sandbox.remote.room', 'files that the disk has no room for are refused with a sentence', async (t) => {
  const url = await answering(t, () => [result(), lineOf({ file: 'huge', size: 2 ** 50, mode: 0o644, mtime_ms: 0 })])
  const { run, folder } = await openShell(t, driverOf(t, [url], { bytesMax: 2 ** 51 }))
  await assert.rejects(
    run('bash', 'true'),
    /more than half of what is free on the disk\. Nothing that it wrote is saved/,
  )
  assert.deepEqual(await readdir(folder), [])
})

proves('sandbox.remote.hostile', 'a host that answers an opening with nonsense is passed over', async (t) => {
  const bodies = [
    '<html>',
    '[]',
    '{}',
    JSON.stringify({ id: '../..', lease_ms: 1000 }),
    JSON.stringify({ id: '0'.repeat(36), lease_ms: 86_400_000 }),
    'x'.repeat(1_000_000),
  ]
  for (const body of bodies) {
    const url = await fakeHost(t, (request, response) => {
      request.resume()
      response.writeHead(201, { [protocolHeader]: protocolVersion }).end(body)
    })
    const { run } = await openShell(t, driverOf(t, [url, host.url]))
    assert.equal((await run('bash', 'echo here')).stdout, 'here\n')
  }
})

proves(
  'sandbox.remote.stop',
  'a host that is stopped finishes its command, takes nothing new, and leaves nothing',
  async (t) => {
    const stopping = await startSandboxHost()
    t.after(() => stopping.stop())
    const driver = driverOf(t, [stopping.url, host.url])
    const { run, lay } = await openShell(t, driver)
    await run('bash', 'true')
    const begun = nextFile(await stopping.workspaces(), 'begun')
    const running = run('bash', 'echo > begun; until [ -e go ]; do sleep 0.05; done; echo done')
    await begun
    const [workspace = ''] = await stopping.workspaces()
    stopping.signal('SIGTERM')
    // asked before it has heard the signal, it is still ready
    while ((await fetch(`${stopping.url}/readyz`)).status !== 503);
    await writeFile(join(workspace, 'go'), '')
    assert.equal((await running).stdout, 'done\n')
    assert.equal(await stopping.ended, 0)
    assert.deepEqual(await stopping.workspaces(), [])
    await lay('more', 'more')
    assert.equal((await run('bash', 'cat more')).stdout, 'more')
  },
)

proves('sandbox.remote.stop', 'a command that outlasts the drain time of its host is cut off as died', async (t) => {
  const stopping = await startSandboxHost({ RUNYARD_DRAIN_S: '0' })
  t.after(() => stopping.stop())
  const { run } = await openShell(t, driverOf(t, [stopping.url]))
  await run('bash', 'true')
  const begun = nextFile(await stopping.workspaces(), 'begun')
  const running = run('bash', 'echo > begun; sleep 600')
  await begun
  stopping.signal('SIGTERM')
  assert.equal((await running).cut_off, 'died')
  assert.equal(await stopping.ended, 0)
})

proves(
  'sandbox.remote.runs',
  'a host with a certificate is used over TLS, and one that nobody trusts is not',
  async (t) => {
    const { key, cert } = selfSigned('localhost')
    const folder = await mkdtemp(join(tmpdir(), 'runyard-test-'))
    t.after(() => rm(folder, { recursive: true }))
    const files = {
      RUNYARD_SANDBOX_TLS_KEY_FILE: join(folder, 'key'),
      RUNYARD_SANDBOX_TLS_CERT_FILE: join(folder, 'cert'),
    }
    await writeFile(files.RUNYARD_SANDBOX_TLS_KEY_FILE, key)
    await writeFile(files.RUNYARD_SANDBOX_TLS_CERT_FILE, cert)
    const secure = await startSandboxHost(files)
    t.after(() => secure.stop())
    assert.match(secure.url, /^https:/)
    const untrusting = await openShell(t, driverOf(t, [secure.url, host.url]))
    await untrusting.run('bash', 'true')
    assert.deepEqual(await secure.workspaces(), [])
    const usual = getCACertificates()
    t.after(() => setDefaultCACertificates(usual))
    setDefaultCACertificates([...usual, cert])
    const { run } = await openShell(t, driverOf(t, [secure.url]))
    assert.equal((await run('bash', 'echo here')).stdout, 'here\n')
  },
)
