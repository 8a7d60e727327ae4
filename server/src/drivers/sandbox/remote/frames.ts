// Lines of JSON on a stream, some followed by counted bytes; whoever sends too much, too slowly or something else is given up.
import type { Readable } from 'node:stream'
import { isRecord } from '../../../base/isRecord.ts'
import { lineBytesMax, silentMs } from './protocol.ts'

/** The other side broke the protocol, or the connection did. */
export class BrokenStream extends Error {}

const newline = 10
/** How long a sender may be silent, and be slow; after that it must have sent this much for each millisecond. */
const usualPace = { silentMs, slowMs: 30_000, bytesPerMs: 256 }

export interface FrameReader {
  line(): Promise<Record<string, unknown>>
  bytes(count: number): AsyncGenerator<Buffer>
  /** From here on the sender has its data at hand: it must keep its pace. */
  expectPace(): void
  /** Whoever reads gets a BrokenStream, and the connection ends. */
  giveUp(why: string): BrokenStream
}

export function lineOf(value: object): Buffer {
  const line = Buffer.from(`${JSON.stringify(value)}\n`)
  if (line.length > lineBytesMax) throw new Error('a line is longer than the other side takes')
  return line
}

export function readFrames(stream: Readable, bytesMax: number, bounds = usualPace): FrameReader {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let held: Buffer = Buffer.alloc(0)
  let received = 0
  // whoever reads gets it; before the first read nobody listens
  stream.on('error', () => undefined)
  let pace: { since: number; receivedThen: number } | undefined

  function giveUp(why: string): BrokenStream {
    const error = new BrokenStream(why)
    stream.destroy(error)
    return error
  }

  /** When the pace is broken, if nothing more comes. */
  function pacedUntil(): number {
    if (!pace) return Infinity
    return pace.since + bounds.slowMs + (received - pace.receivedThen) / bounds.bytesPerMs
  }

  async function more(until: number): Promise<void> {
    const left = Math.min(until, pacedUntil()) - performance.now()
    const timer = setTimeout(() => giveUp('the other side is too slow'), Math.max(0, left))
    try {
      const { value, done } = await chunks.next()
      if (done) throw new BrokenStream('the stream ended too early')
      received += value.length
      if (received > bytesMax) throw giveUp('the other side sends too much')
      held = held.length === 0 ? value : Buffer.concat([held, value])
    } catch (error) {
      if (error instanceof BrokenStream) throw error
      throw new BrokenStream('the connection broke', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    giveUp,
    expectPace() {
      pace = { since: performance.now(), receivedThen: received }
    },
    async line() {
      const until = performance.now() + bounds.silentMs
      let end = held.indexOf(newline)
      while (end === -1) {
        if (held.length > lineBytesMax) throw giveUp('a line is too long')
        await more(until)
        end = held.indexOf(newline)
      }
      if (end > lineBytesMax) throw giveUp('a line is too long')
      const text = held.toString('utf8', 0, end)
      held = held.subarray(end + 1)
      const value = parsed(text)
      if (!isRecord(value)) throw giveUp('a line is not a JSON object')
      return value
    },
    async *bytes(count) {
      for (let left = count; left > 0;) {
        if (held.length === 0) await more(performance.now() + bounds.silentMs)
        const piece = held.subarray(0, left)
        held = held.subarray(piece.length)
        left -= piece.length
        yield piece
      }
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // not swallowed: whoever sends it is given up
    return undefined
  }
}
