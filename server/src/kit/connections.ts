// The open connections of the HTTP server and the answers under way on each, so that a server that closes waits for answers alone.
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeGently } from './requestBody.ts'

export interface Connections {
  watch(server: Server): void
  /** A request came whose answer this will be. */
  begin(response: ServerResponse): void
  /** The last answer on this connection that is not written, although its request is there whole. */
  lastOwed(socket: Socket): ServerResponse | undefined
  /** Closes every connection: at once where no answer is under way, the others after their answers. */
  close(): void
}

/**
 * Node closes only connections that are idle at the moment when its server closes. One that never sent a request counts as busy, and one
 * whose answer was still under way is kept alive afterwards: each of them would delay the end of the process by more than its drain time.
 */
export function createConnections(): Connections {
  const open = new Set<Socket>()
  const answers = new WeakMap<Socket, ServerResponse[]>()
  let isClosing = false
  const underWay = (socket: Socket): ServerResponse[] =>
    answers.get(socket)?.filter(({ writableFinished, destroyed }) => !writableFinished && !destroyed) ?? []
  const closeAfter = (socket: Socket): void => {
    const last = underWay(socket).at(-1)
    if (last) last.once('close', () => closeAfter(socket))
    else closeGently(socket)
  }
  return {
    watch(server) {
      server.on('connection', (socket: Socket) => {
        open.add(socket)
        socket.once('close', () => open.delete(socket))
        if (isClosing) socket.destroy()
      })
    },
    begin(response) {
      const { socket } = response.req
      answers.set(socket, [...underWay(socket), response])
    },
    lastOwed: (socket) => underWay(socket).findLast(({ req }) => req.complete),
    close() {
      isClosing = true
      for (const socket of open) {
        if (underWay(socket).length > 0) closeAfter(socket)
        else socket.destroy()
      }
    },
  }
}
