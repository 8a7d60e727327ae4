// Files by their bytes: every type with its size or pages, and what only looks like one.
import assert from 'node:assert/strict'
import { gif, jpeg, pdf, png, webp } from '../../test/kit/seenFiles.ts'
import { proves } from '../../test/kit/proves.ts'
import { fileKind, isLockedPdf } from './fileKind.ts'

proves('files.kind', 'the bytes of a file say its type, and how large it is', () => {
  const sizes = [
    png(64, 48),
    jpeg(640, 480),
    jpeg(1, 2, 60_000),
    gif(300, 200),
    webp('VP8 ', 10, 20),
    webp('VP8L', 400, 300),
    webp('VP8X', 70_000, 5),
  ].map((bytes) => {
    const kind = fileKind(bytes)
    return `${kind?.media_type} ${kind?.width}×${kind?.height}`
  })
  assert.deepEqual(sizes, [
    'image/png 64×48',
    'image/jpeg 640×480',
    'image/jpeg 1×2',
    'image/gif 300×200',
    'image/webp 10×20',
    'image/webp 400×300',
    'image/webp 70000×5',
  ])
  assert.deepEqual(fileKind(pdf(3)), { media_type: 'application/pdf', width: null, height: null, pages: 3 })
  assert.equal(fileKind(Buffer.from('%PDF-1.5\n1 0 obj << /Type /ObjStm >>'))?.pages, null)
  assert.deepEqual([isLockedPdf(pdf(1)), isLockedPdf(pdf(1, 'trailer << /Encrypt 7 0 R >>'))], [false, true])
})

proves('files.kind', 'what is cut, empty or something else is nothing, and every beginning is read to its end', () => {
  for (const bytes of [
    '',
    'GIF',
    '<html><img>',
    '\x89PNG\r\n\x1a\n',
    'RIFF\0\0\0\0WAVEfmt ',
    '\xff\xd8\xff\xff\xff\xff',
  ]) {
    assert.equal(fileKind(Buffer.from(bytes, 'latin1')), undefined, JSON.stringify(bytes))
  }
  assert.equal(fileKind(png(0, 5)), undefined)
  for (const whole of [png(9, 9), jpeg(9, 9), gif(9, 9), webp('VP8L', 9, 9), webp('VP8 ', 9, 9)]) {
    for (let length = 0; length < Math.min(whole.length, 200); length++) fileKind(whole.subarray(0, length))
  }
  const endless = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)])
  assert.equal(fileKind(endless), undefined)
})
