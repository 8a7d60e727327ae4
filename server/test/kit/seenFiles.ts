// Small files of every type that some models see, made byte by byte, and hostile ones.
import { crc32, deflateSync } from 'node:zlib'

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG of one shade; `padding` is a chunk that readers skip. */
export function png(width: number, height: number, { shade = 0, padding = 0 } = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  const lines = Buffer.alloc((width + 1) * height, shade)
  for (let line = 0; line < height; line++) lines[line * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(padding > 0 ? [chunk('paDd', Buffer.alloc(padding))] : []),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const gif = (width: number, height: number): Buffer => {
  const bytes = Buffer.from('GIF89a\0\0\0\0\0\0\0;', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  return bytes
}

/** The headers of a JPEG, with a segment of this many bytes before its frame. */
export function jpeg(width: number, height: number, before = 100): Buffer {
  const segment = Buffer.alloc(before + 2)
  segment.writeUInt16BE(0xffe1)
  segment.writeUInt16BE(before, 2)
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xd9])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), segment, frame])
}

export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write(`RIFF\x20\0\0\0WEBP${kind}`, 'latin1')
  if (kind === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  } else if (kind === 'VP8L') bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21)
  else {
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  }
  return bytes
}

export const pdf = (pages: number, more = ''): Buffer =>
  Buffer.from(
    `%PDF-1.7\n1 0 obj << /Type /Pages /Count ${pages} >> endobj\n${'<< /Type /Page >>\n'.repeat(pages)}${more}\n%%EOF\n`,
    'latin1',
  )
