// JSON, a line each, between the service and a child it does not trust: no line longer than allowed is ever held.
import type { Duplex } from 'node:stream'

const newline = 10

interface LineReader {
  stream: Duplex
  lineBytesMax: number
  onValue: (value: unknown) => void
  /** A line is too long or not JSON: nothing that follows can be believed, and nothing more is read. */
  onNonsense: () => void
}

export function readJsonLines({ stream, lineBytesMax, onValue, onNonsense }: LineReader): void {
  let parts: Buffer[] = []
  let held = 0

  function giveUp(): void {
    parts = []
    stream.off('data', onData)
    stream.pause()
    onNonsense()
  }

  function onData(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      if (held + end > lineBytesMax) return giveUp()
      const line = Buffer.concat([...parts, rest.subarray(0, end)])
      parts = []
      held = 0
      rest = rest.subarray(end + 1)
      let value: unknown
      try {
        value = JSON.parse(line.toString())
      } catch {
        // not swallowed: a child that breaks the protocol is given up
        return giveUp()
      }
      onValue(value)
    }
    if (held + rest.length > lineBytesMax) return giveUp()
    if (rest.length > 0) parts.push(rest)
    held += rest.length
  }

  stream.on('data', onData)
}

export function writeJsonLine(stream: Duplex, value: unknown): void {
  stream.write(`${JSON.stringify(value)}\n`)
}
