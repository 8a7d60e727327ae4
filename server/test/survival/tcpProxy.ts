// A proxy for bytes on loopback, which a proof tells where to cut.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** One connection through the proxy. What `answered` gives is passed on; undefined cuts the connection here. */
export interface Watch {
  asked?: (bytes: Buffer) => void
  answered: (bytes: Buffer) => { passOn: Buffer; isCut: boolean }
}

interface TcpProxy {
  url: string
  close: () => void
}

/** `watch` is called for each new connection. */
export async function startTcpProxy(port: number, watch: (cut: () => void) => Watch): Promise<TcpProxy> {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    const { asked, answered } = watch(cut)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      // both ends see the end of the other
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    client.on('data', (bytes) => {
      upstream.write(bytes)
      asked?.(bytes)
    })
    upstream.on('data', (bytes) => {
      const { passOn, isCut } = answered(bytes)
      client.write(passOn, () => (isCut ? cut() : undefined))
    })
    upstream.on('end', () => client.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
