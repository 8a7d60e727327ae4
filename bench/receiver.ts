// A receiver of deliveries in a process of its own: answers at once, counts what came, and tells when so many have.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface Receiver extends AsyncDisposable {
  url: string
  /** Resolves when so many more requests have come since it was last asked. */
  got(count: number): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(import.meta.url))
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    async got(count) {
      const came = once(child, 'message')
      child.send(count)
      await came
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

function receive(): void {
  let came = 0
  let wanted = Infinity
  const tellIfAll = () => {
    if (came < wanted) return
    came -= wanted
    wanted = Infinity
    process.send!('all')
  }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end()
      came += 1
      tellIfAll()
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('message', (count: number) => {
    wanted = count
    tellIfAll()
  })
  process.on('disconnect', () => process.exit(0))
}

if (import.meta.main) receive()
