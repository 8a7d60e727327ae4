// A proxy on loopback in front of the PostgreSQL of a test: it holds back, loses or changes what the server says.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** One connection through the proxy. */
export interface Link {
  /** What the server says waits here from now on. */
  hold(): void
  letGo(): void
  /** The server sees that the client is gone. The client hears nothing of it, as from a machine that is gone. */
  loseServer(): void
  /** Every message of the server goes through this: its type and what follows its length. Called before the first byte. */
  change(message: (type: string, body: Buffer) => Buffer): void
}

interface WireProxy {
  port: number
  close(): void
}

/** `linked` is called for each new connection, before the first byte; they are counted from 1. */
export async function startWireProxy(
  serverPort: number,
  linked: (link: Link, nth: number) => void,
): Promise<WireProxy> {
  const open = new Set<Socket>()
  let count = 0
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1')
    let isLost = false
    const end = (): void => {
      if (!isLost) client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        open.delete(socket)
        end()
      })
    }
    client.on('data', (bytes) => {
      if (!isLost) upstream.write(bytes)
    })
    let change: ((bytes: Buffer) => Buffer) | undefined
    upstream.on('data', (bytes) => client.write(change ? change(bytes) : bytes))
    linked(
      {
        hold: () => void upstream.pause(),
        letGo: () => void upstream.resume(),
        loseServer() {
          isLost = true
          upstream.destroy()
        },
        change: (message) => void (change = messagesOf(message)),
      },
      ++count,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** Puts the messages of PostgreSQL together from pieces of their stream: a type, the length with itself, the body. */
function messagesOf(message: (type: string, body: Buffer) => Buffer): (bytes: Buffer) => Buffer {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const changed: Buffer[] = []
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1)
      const body = message(rest.toString('latin1', 0, 1), rest.subarray(5, end))
      const head = Buffer.from(rest.subarray(0, 5))
      head.writeInt32BE(body.length + 4, 1)
      changed.push(head, body)
      rest = rest.subarray(end)
    }
    return Buffer.concat(changed)
  }
}
