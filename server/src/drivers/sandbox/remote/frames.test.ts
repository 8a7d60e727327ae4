// Whoever sends too much, too slowly or something else is given up.
import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { proves } from '../../../../test/kit/proves.ts'
import { BrokenStream, lineOf, readFrames } from './frames.ts'
import { lineBytesMax } from './protocol.ts'

async function all(pieces: AsyncGenerator<Buffer>): Promise<string> {
  const found: Buffer[] = []
  for await (const piece of pieces) found.push(piece)
  return Buffer.concat(found).toString()
}

const readerOf = (...pieces: string[]) =>
  readFrames(
    Readable.from(
      pieces.map((piece) => Buffer.from(piece)),
      { objectMode: false },
    ),
    1_000_000,
  )

proves('sandbox.remote.hostile', 'lines and bytes are read as they were sent, wherever the stream is cut', async () => {
  const sent = Buffer.concat([lineOf({ file: 'a\n', size: 5 }), Buffer.from('1\n2\n3'), lineOf({ end: true })])
  for (const length of [1, 3, 1000]) {
    const pieces = Array.from({ length: Math.ceil(sent.length / length) }, (_, index) =>
      sent.subarray(index * length, (index + 1) * length).toString(),
    )
    const reader = readerOf(...pieces)
    assert.deepEqual(await reader.line(), { file: 'a\n', size: 5 })
    assert.equal(await all(reader.bytes(5)), '1\n2\n3')
    assert.deepEqual(await reader.line(), { end: true })
    await assert.rejects(reader.line(), BrokenStream)
  }
})

proves('sandbox.remote.hostile', 'what is too long, too much or not an object of JSON is refused', async () => {
  await assert.rejects(readerOf('x'.repeat(lineBytesMax + 2)).line(), /too long/)
  await assert.rejects(readerOf(`"${'x'.repeat(lineBytesMax)}"\n`).line(), /too long/)
  await assert.rejects(readerOf('<html>\n').line(), /not a JSON object/)
  await assert.rejects(readerOf('[1]\n').line(), /not a JSON object/)
  await assert.rejects(all(readerOf('x'.repeat(900_000), 'x'.repeat(200_000)).bytes(2_000_000)), /too much/)
  await assert.rejects(all(readerOf('short').bytes(6)), /ended too early/)
})

proves('sandbox.remote.hostile', 'a sender that drips is given up, in a line and between whole pieces', async () => {
  const never = new PassThrough()
  never.write('{"alive":')
  const silent = readFrames(never, 1000, { silentMs: 20, slowMs: 1e9, bytesPerMs: 1 })
  await assert.rejects(silent.line(), /too slow/)
  assert.ok(never.destroyed)

  // each piece comes in time, and all together would take for ever
  const drip = Readable.from(
    (async function* () {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        yield Buffer.from('x')
      }
    })(),
    { objectMode: false },
  )
  const slow = readFrames(drip, 1_000_000, { silentMs: 1e9, slowMs: 50, bytesPerMs: 1000 })
  slow.expectPace()
  await assert.rejects(all(slow.bytes(1_000_000)), /too slow/)
})
