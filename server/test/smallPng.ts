// Makes a PNG of a page smaller: flat areas compress best without the filters of scan lines, which are meant for photographs.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

interface Chunk {
  kind: string
  data: Buffer
}

const headerBytes = 8

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = headerBytes; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({ kind: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}

function written({ kind, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** PNG, section 9: which of the three neighbours a byte was predicted from. */
function nearest(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? above : corner
}

/** Takes the filters of all scan lines away, in place. */
function unfilter(lines: Buffer, lineBytes: number, pixelBytes: number): void {
  const at = (index: number): number => lines[index] ?? 0
  for (let start = 0; start < lines.length; start += lineBytes + 1) {
    const filter = lines[start]
    lines[start] = 0
    for (let n = 1; n <= lineBytes; n++) {
      const left = n > pixelBytes ? at(start + n - pixelBytes) : 0
      const above = start > 0 ? at(start + n - lineBytes - 1) : 0
      const corner = start > 0 && n > pixelBytes ? at(start + n - lineBytes - 1 - pixelBytes) : 0
      const guesses = [0, left, above, (left + above) >> 1, filter === 4 ? nearest(left, above, corner) : 0]
      lines[start + n] = at(start + n) + (guesses[filter ?? 0] ?? 0)
    }
  }
}

/** For pictures with eight bits a channel, as Chromium makes them. */
export function smallPng(png: Buffer): Buffer {
  const chunks = chunksOf(png)
  const header = chunks.find(({ kind }) => kind === 'IHDR')
  const pixelBytes = { 2: 3, 6: 4 }[header?.data[9] ?? -1]
  if (!header || pixelBytes === undefined) throw new Error('this is not a PNG of colours with eight bits each')
  const lines = inflateSync(Buffer.concat(chunks.flatMap(({ kind, data }) => (kind === 'IDAT' ? [data] : []))))
  unfilter(lines, header.data.readUInt32BE(0) * pixelBytes, pixelBytes)
  const small = { kind: 'IDAT', data: deflateSync(lines, { level: 9 }) }
  return Buffer.concat([
    png.subarray(0, headerBytes),
    ...[header, small, { kind: 'IEND', data: Buffer.alloc(0) }].map(written),
  ])
}
