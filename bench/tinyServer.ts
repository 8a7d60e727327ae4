// The outside of outside steps: a tiny HTTP server in a process of its own that answers a GET with a few bytes of JSON, or with as many
// letters as the path asks for: /letters/1000000. They have no pattern, so that nothing is gained by compressing them.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface TinyServer extends AsyncDisposable {
  url: string
}

export async function startTinyServer(): Promise<TinyServer> {
  const child = fork(fileURLToPath(import.meta.url))
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

const body = '{"rate":1.07}'

export const letters = (count: number): string =>
  randomBytes(Math.ceil((count * 3) / 4))
    .toString('base64')
    .slice(0, count)

function answer(): void {
  const server = createServer((request, response) => {
    const count = /^\/letters\/(\d+)$/.exec(request.url!)?.[1]
    if (count === undefined) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    } else {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(letters(Number(count)))
    }
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit(0))
}

if (import.meta.main) answer()
