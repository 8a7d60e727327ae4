// A floor: the least process that answers the same requests on the same database, for the service to be held against.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Service } from './service.ts'

/** What a floor is told about the service it stands beside; comes to it as its first argument. */
export type FloorFacts = Pick<Service, 'databaseUrl' | 'connectionsMax' | 'teamId'> & {
  memberId?: string
  credentialId?: string
}

export interface Floor extends AsyncDisposable {
  pid: number
  host: string
  port: number
}

/** `execArgv`: options for Node itself, such as --cpu-prof. */
export async function startFloor(file: string, facts: FloorFacts, execArgv: string[] = []): Promise<Floor> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(facts)], { execArgv })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${file} ended before it listened (exit ${code})`)))
  })
  return {
    pid: child.pid!,
    host: '127.0.0.1',
    port,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** The floor's own side: tells its port, and ends with the process that started it. */
export async function serveFloor(makeApp: (facts: FloorFacts) => FastifyInstance): Promise<void> {
  process.on('disconnect', () => process.exit(0))
  const app = makeApp(JSON.parse(process.argv[2]!) as FloorFacts)
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send!((app.server.address() as { port: number }).port)
}
