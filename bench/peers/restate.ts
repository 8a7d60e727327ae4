// Restate: its server beside a service with two handlers of three durable steps each. Its ingress is an HTTP server that answers when the
// run has completed, so runs are started there and no server of ours stands between.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compute, fetchRate, loaderOf, readFactsOfPeer, tellReady } from './program.ts'

interface Context {
  run<T>(name: string, step: () => Promise<T>): Promise<T>
}

interface Restate {
  service(options: { name: string; handlers: Record<string, (context: Context) => Promise<unknown>> }): object
  serve(options: { services: object[]; port: number; hostname: string }): Promise<number>
}

const facts = readFactsOfPeer()
const load = loaderOf(facts)
const restate = load('@restatedev/restate-sdk') as Restate
const agent = new Agent({ keepAlive: true })
const [servicePort, ingressPort, adminPort, nodePort] = await Promise.all(Array.from({ length: 4 }, freePort))

const threeSteps =
  <T>(step: (n: number) => Promise<T>) =>
  async (context: Context) => {
    const results: T[] = []
    for (let n = 0; n < 3; n++) results.push(await context.run(`step-${n}`, () => step(n)))
    return results
  }

await restate.serve({
  hostname: '127.0.0.1',
  port: servicePort!,
  services: [
    restate.service({
      name: 'Measured',
      handlers: {
        inside: threeSteps(async (n) => compute(n)),
        outside: threeSteps((n) => fetchRate(facts, n, agent)),
      },
    }),
  ],
})

// as it comes, but for where it listens: it waits for the disk unless it is told otherwise
const settings = `
disable-telemetry = true
base-dir = ${JSON.stringify(join(facts.folder, 'restate-data'))}
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${nodePort}
[ingress]
bind-port = ${ingressPort}
[admin]
bind-port = ${adminPort}
`
await writeFile(join(facts.folder, 'restate.toml'), settings)
const server = spawn(serverProgram(), ['--no-logo', '--config-file', join(facts.folder, 'restate.toml')], {
  cwd: facts.folder,
  stdio: 'ignore',
  env: { ...process.env, RUST_LOG: 'error' },
})
process.on('exit', () => server.kill('SIGKILL'))
server.once('exit', (code) => process.exit(code ?? 1))
await register()

tellReady(
  {
    port: ingressPort!,
    paths: { inside: '/Measured/inside', outside: '/Measured/outside' },
    storePid: server.pid!,
  },
  async () => {
    server.removeAllListeners('exit')
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  },
)

/** Of the package that npm chose for this machine. */
function serverProgram(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  const found = (load as unknown as NodeJS.Require).resolve(`${name}/package.json`)
  return join(found, '..', 'bin', 'restate-server')
}

async function register(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await fetch(`http://127.0.0.1:${adminPort}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri: `http://127.0.0.1:${servicePort}` }),
      })
      if (answer.ok) return
      throw new Error(`the service was not registered: ${answer.status} ${await answer.text()}`)
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(200)
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
