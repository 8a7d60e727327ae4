// The DevTools protocol over two pipes: JSON with a NUL after each message. Unlike a port, nobody else can reach it.
import type { Readable, Writable } from 'node:stream'
import type { ConnectOverCDPTransport } from 'playwright-core'

export function pipeTransport(
  to: Writable,
  from: Readable,
  close: () => void,
): ConnectOverCDPTransport & { ended: () => void } {
  let begun: Buffer[] = []
  let hasEnded = false

  const transport: ConnectOverCDPTransport & { ended: () => void } = {
    send(message) {
      if (!hasEnded) to.write(`${JSON.stringify(message)}\0`)
    },
    close,
    ended() {
      if (hasEnded) return
      hasEnded = true
      transport.onclose?.()
    },
  }

  from.on('data', (data: Buffer) => {
    let rest = data
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const message = Buffer.concat([...begun, rest.subarray(0, end)]).toString()
      begun = []
      rest = rest.subarray(end + 1)
      // One message per turn of the event loop: playwright must have handled a message before it gets the next.
      setImmediate(() => transport.onmessage?.(JSON.parse(message) as object))
    }
    if (rest.length > 0) begun.push(rest)
  })
  // A browser that dies breaks both pipes; its end is all that can be reported.
  for (const pipe of [to, from]) pipe.on('error', transport.ended).on('close', transport.ended)
  return transport
}
