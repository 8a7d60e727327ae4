// What a file is by its bytes, whatever its name says: pictures with their size, PDF documents with their pages.

export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export const pdfType = 'application/pdf'

/** What some models take as input besides text. */
export type SeenType = (typeof pictureTypes)[number] | typeof pdfType

export interface FileKind {
  media_type: SeenType
  /** In pixels; null for a PDF. */
  width: number | null
  height: number | null
  /** Null for a picture, and where they cannot be counted: newer PDF files have their pages in compressed parts. */
  pages: number | null
}

interface Size {
  width: number
  height: number
}

/** Undefined: it is neither. A picture whose header says no size is none either: nobody could show it. */
export function fileKind(bytes: Buffer): FileKind | undefined {
  if (bytes.subarray(0, 1024).includes('%PDF-')) {
    return { media_type: pdfType, width: null, height: null, pages: pagesOf(bytes) }
  }
  for (const [media_type, sizeOf] of readers) {
    const size = sizeOf(bytes)
    if (size && size.width > 0 && size.height > 0) return { media_type, ...size, pages: null }
  }
  return undefined
}

const begins = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text

const readers: [SeenType, (bytes: Buffer) => Size | undefined][] = [
  ['image/png', pngSize],
  ['image/jpeg', jpegSize],
  ['image/gif', gifSize],
  ['image/webp', webpSize],
]

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || !begins(bytes, '\x89PNG\r\n\x1a\n') || !begins(bytes, 'IHDR', 12)) return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 10 || !(begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a'))) return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** Segments that begin a frame: all from C0 to CF but three that are tables and extensions. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpegSize(bytes: Buffer): Size | undefined {
  if (!begins(bytes, '\xff\xd8\xff')) return undefined
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt8(at + 1)
    if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    // a fill byte, or a segment with its length, which counts its own two bytes
    at += marker === 0xff ? 1 : 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || !begins(bytes, 'RIFF') || !begins(bytes, 'WEBP', 8)) return undefined
  if (begins(bytes, 'VP8X', 12)) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (begins(bytes, 'VP8L', 12)) {
    const sides = bytes.readUInt32LE(21)
    return { width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 }
  }
  if (!begins(bytes, 'VP8 ', 12)) return undefined
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
}

/** Nobody needs to know how many more there are. */
const pagesCounted = 10_000

function pagesOf(bytes: Buffer): number | null {
  const text = bytes.toString('latin1')
  const mark = /\/Type\s{0,99}\/Page(?![A-Za-z])/g
  let pages = 0
  while (pages < pagesCounted && mark.test(text)) pages++
  return pages === 0 ? null : pages
}

/** Whether a PDF needs a password: no provider takes one that does. */
export const isLockedPdf = (bytes: Buffer): boolean => /\/Encrypt\s{1,99}\d/.test(bytes.toString('latin1'))
