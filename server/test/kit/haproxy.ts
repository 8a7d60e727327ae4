// HAProxy in front of the servers of a test, as people run it with Patroni: it asks each node whether it is the primary, and leads there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../survival/processes.ts'
import type { ExternalServer } from './externalServer.ts'

const program = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'].find((path) =>
  existsSync(path),
)

/** Options of a test that needs it: skipped visibly elsewhere. */
export const needsHaproxy = program === undefined ? { skip: 'HAProxy is not installed' } : {}

/** What Patroni answers beside each node: 200 if it is the primary. */
async function startRoleServer(node: ExternalServer) {
  const asked = Promise.withResolvers<void>()
  let times = 0
  const server = createServer((_, answer) => {
    times += 1
    if (times === 2) asked.resolve()
    node.asSuperuser('select pg_is_in_recovery() as is_standby').then(
      ([row]) => answer.writeHead(row?.['is_standby'] === false ? 200 : 503).end(),
      () => answer.writeHead(503).end(), // the node is gone
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, askedTwice: asked.promise, close: () => server.close() }
}

export async function startHaproxy(nodes: ExternalServer[]): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-haproxy-'))
  const port = await freePort()
  const roles = await Promise.all(nodes.map((node) => startRoleServer(node)))
  const file = join(folder, 'haproxy.cfg')
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 4s',
    '  timeout client 30m',
    '  timeout server 30m',
    '  timeout check 2s',
    'listen postgres',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /primary',
    '  http-check expect status 200',
    '  default-server inter 200ms fall 1 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map((node, n) => `  server node${n} 127.0.0.1:${node.port} check port ${roles[n]!.port}`),
    '',
  ]
  await writeFile(file, lines.join('\n'))
  const child = spawn(program!, ['-db', '-q', '-f', file], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  // it takes every node for a primary until it has its answer, and closes those connections then; the second question comes after that
  await Promise.all(roles.map(({ askedTwice }) => askedTwice))
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await exited
      for (const role of roles) role.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
