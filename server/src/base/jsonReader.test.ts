// A JSON text that is read in pieces gives the value that JSON.parse gives, whatever the pieces, and is refused when JSON.parse refuses it.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { readJsonInSteps } from './jsonReader.ts'
import { takeSteps } from './steps.ts'
import { proves } from '../../test/kit/proves.ts'

const read = (text: string, pieceBytes?: number) => takeSteps(readJsonInSteps(Buffer.from(text), pieceBytes)).value
const parse = (text: string): unknown => JSON.parse(text)

type Outcome = { text: string } | 'refused'

/** The value as text again: deep equality would not see the order of fields or a changed prototype. */
function outcomeOf(act: () => unknown): Outcome {
  try {
    return { text: JSON.stringify(act()) }
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error))
    return 'refused'
  }
}

/** JSON of nested lists and objects, with blanks between its parts and strings that look like structure. */
const values = fc.jsonValue({ depthSize: 'large', maxDepth: 5 })
const texts = fc
  .tuple(values, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify({ __proto__: 1, list: [value, { '],[{': value }], value }, null, indent))

proves('bodies.pieces', 'a text that is read in pieces of any size gives the value that JSON.parse gives', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, pieceBytes) => {
      assert.deepEqual(
        outcomeOf(() => read(text, pieceBytes)),
        { text: JSON.stringify(parse(text)) },
      )
    }),
    { numRuns: 500 },
  )
  for (const text of ['{"__proto__":[1,2],"a":{"__proto__":{"b":1},"c":2},"a":3,"9":1,"1":2}', '\ufeff[1,[2,3],4]']) {
    const value = read(text, 1) as object
    assert.deepEqual(
      outcomeOf(() => value),
      outcomeOf(() => parse(text.replace('\ufeff', ''))),
    )
    assert.ok([Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value)), 'its prototype is its own')
  }
})

proves('bodies.pieces', 'a text that JSON.parse refuses is refused in pieces too', () => {
  const structure = fc.constantFrom(...'[ ] { } , : " \\ 1'.split(' '), ' ', '"a":', 'null', '\ufeff')
  const damaged = fc
    .tuple(texts, fc.nat(), fc.integer({ min: 0, max: 2 }), structure)
    .map(([text, place, left, put]) => {
      const at = place % (text.length + 1)
      return (text.slice(0, at) + put + text.slice(at + left)).toWellFormed()
    })
  let refused = 0
  fc.assert(
    fc.property(damaged, fc.integer({ min: 1, max: 40 }), (text, pieceBytes) => {
      const expected = outcomeOf(() => parse(text.startsWith('\ufeff') ? text.slice(1) : text))
      if (expected === 'refused') refused += 1
      assert.deepEqual(
        outcomeOf(() => read(text, pieceBytes)),
        expected,
      )
    }),
    { numRuns: 2000 },
  )
  assert.ok(refused > 500, `${refused} of the texts are damaged`)
})

proves(
  'bodies.pieces',
  'no step of reading two megabytes takes more than one piece, and an object with too many fields is refused',
  () => {
    const names = Array.from({ length: 130_000 }, (_, index) => `"k${index}":{}`)
    const steps = readJsonInSteps(
      Buffer.from(
        `{"a":[${names
          .slice(0, 90_000)
          .map((name) => `{${name}}`)
          .join()}]}`,
      ),
    )
    let count = 0
    while (!steps.next().done) count += 1
    assert.ok(count >= 70, `${count} steps`)
    assert.throws(() => read(`{"a":{${names.join()}}}`), /an object in it has more than 100000 fields/)
  },
)
