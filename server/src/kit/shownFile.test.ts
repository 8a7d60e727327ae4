// What can be shown to a model, and the words for what cannot.
import assert from 'node:assert/strict'
import { pdf, png, webp } from '../../test/kit/seenFiles.ts'
import { proves } from '../../test/kit/proves.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { blobsOn } from '../drivers/blobs/blobsOn.ts'
import { showBytes, showSome, showStored, shownBounds, type Showable } from './shownFile.ts'

const { context } = await testApp()
const { sql } = context.db

const saysOf = (seen: Showable): string => ('problem' in seen ? seen.problem : 'shown')

proves('files.showable', 'a hostile file is described by name, type and size, whatever its name says', async () => {
  assert.match(
    saysOf(showBytes('/workspace/logo.png', Buffer.from('<html><script>alert(1)</script>'))),
    /^\/workspace\/logo\.png is neither a picture .* nor a PDF by its bytes, whatever its name says \(31 bytes\)\.$/,
  )
  assert.match(saysOf(showBytes('wide.webp', webp('VP8X', 20_000, 10))), /image\/webp, 20000×10.*at most 8000 pixels/)
  assert.match(saysOf(showBytes('long.pdf', pdf(101))), /application\/pdf, 101 pages.*at most 100 pages/)
  assert.match(saysOf(showBytes('locked.pdf', pdf(2, 'trailer << /Encrypt 9 0 R >>'))), /needs a password/)
  const bomb = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(8_000_001)])
  assert.match(
    saysOf(showBytes('bomb.pdf', bomb)),
    /bomb\.pdf \(application\/pdf, 8 MB\) cannot be shown: a PDF has at most 8 MB/,
  )
  assert.equal(saysOf(showBytes('small.pdf', pdf(100))), 'shown')
})

proves('files.showable', 'a picture of 40 MB is described by its size after its beginning is read', async () => {
  const [sha256] = await blobsOn(sql).put([png(64, 48, { padding: 40_000_000 })])
  const seen = await showStored(context, sql, { name: 'huge.png', sha256: sha256!, size_bytes: 40_000_150 })
  assert.equal(saysOf(seen), 'huge.png (image/png, 64×48, 40 MB) cannot be shown: a picture has at most 3.75 MB.')
  assert.match(
    saysOf(await showStored(context, sql, { name: 'x', sha256: '00'.repeat(32), size_bytes: 1 })),
    /not stored any more/,
  )
})

proves('runs.seenBounds', 'one result shows at most half of what a request may have', () => {
  const many = Array.from({ length: 30 }, (_, shade) => showBytes(`${shade}.png`, png(4, 4, { shade })))
  assert.equal(showSome(many).length, shownBounds.files / 2)
  const large = Array.from({ length: 4 }, (_, shade) => showBytes('l.png', png(4, 4, { shade, padding: 2_500_000 })))
  assert.equal(showSome(large).length, 2)
})
