// A small round-robin proxy as it stands before a service: it follows /readyz of each process and nothing else, and never retries.
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { send } from './processes.ts'

interface Upstream {
  baseUrl: string
}

export interface Proxy {
  url: string
  close(): void
}

/** `upstreams` is asked each time, since processes come and go. */
export async function startProxy(upstreams: () => Upstream[], intervalMs: number): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true })
  let ready: string[] = []
  let turn = 0

  async function look(): Promise<void> {
    const asked = upstreams().map(async ({ baseUrl }) => ((await isReady(baseUrl)) ? [baseUrl] : []))
    ready = (await Promise.all(asked)).flat()
  }

  const server = createServer((incoming, outgoing) => {
    const target = ready[turn++ % ready.length]
    const refuse = () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end())
    if (target === undefined) {
      refuse()
      return
    }
    const { method, url, headers } = incoming
    const upstream = httpRequest(`${target}${url}`, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    upstream.on('error', refuse)
    incoming.pipe(upstream)
  })
  await look()
  const timer = setInterval(() => void look(), intervalMs)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      clearInterval(timer)
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}

/** A process that is gone is not ready. */
async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await send(baseUrl, { path: '/readyz', key: '' })).status === 200
  } catch {
    return false
  }
}
