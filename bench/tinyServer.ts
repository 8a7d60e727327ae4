// The outside of outside steps: a tiny HTTP server in a process of its own that answers every GET with a few bytes of JSON.
import { fork } from 'node:child_process'
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

function answer(): void {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit(0))
}

if (import.meta.main) answer()
