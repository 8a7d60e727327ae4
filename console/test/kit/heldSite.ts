// A site that answers when a story says so: a run that calls it is at work for exactly as long as the story needs.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HeldSite {
  url: string
  /** Resolves when the path is asked for, and answers it. */
  answer: (path: string) => Promise<void>
  close: () => void
}

export async function heldSite(): Promise<HeldSite> {
  const waiting = new Map<string, ServerResponse>()
  const asked = new Map<string, () => void>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    waiting.set(path, response)
    // whoever asked has died: the answer is for the next one
    response.once('close', () => waiting.get(path) === response && waiting.delete(path))
    asked.get(path)?.()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async answer(path) {
      if (!waiting.has(path)) await new Promise<void>((resolve) => asked.set(path, resolve))
      waiting.get(path)?.writeHead(200, { 'content-type': 'application/json' }).end('{"ok": true}')
      waiting.delete(path)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
