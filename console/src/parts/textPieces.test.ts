// A long text in pieces: nothing is lost or doubled, and no piece is larger than a page can draw.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfPiece } from './textPieces.ts'

function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length;) {
    const end = endOfPiece(text, from)
    pieces.push(text.slice(from, end))
    from = end
  }
  return pieces
}

void test('up to two hundred thousand characters there is a beginning and the rest', () => {
  assert.deepEqual(
    piecesOf('x'.repeat(200_000)).map(({ length }) => length),
    [2000, 198_000],
  )
})

void test('a longer text comes in pieces of a hundred thousand, and together they are the text', () => {
  const text = `${'x'.repeat(1999)}😀${'y'.repeat(99_998)}😀${'z'.repeat(150_000)}`
  const pieces = piecesOf(text)
  assert.equal(pieces.join(''), text)
  assert.ok(pieces.every((piece) => piece.length <= 100_000 && piece.isWellFormed()))
  assert.equal(pieces.length, 4)
})
