// Rows of the timeline: found by their place, with unfolded runs in between; bars say what happened to a step.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { rowsOf } from './rows.ts'
import { barsOf, type StepLine } from './stepLine.ts'

const step = (seq: number, more: Partial<StepLine> = {}): StepLine => ({
  seq,
  kind: 'tool',
  tool: 'a',
  name: `step ${seq}`,
  detail: '',
  state: 'done',
  attempts: 1,
  from: seq * 100,
  to: seq * 100 + 50,
  waitsFor: undefined,
  cuts: [],
  waits: [],
  subRunId: undefined,
  isCopied: false,
  isRoom: false,
  ...more,
})
const many = (count: number) => Array.from({ length: count }, (_, at) => step(at + 1))

suite('rows', () => {
  test('are the steps in order where nothing is unfolded', () => {
    const rows = rowsOf(many(3), [])
    assert.equal(rows.count, 3)
    assert.equal(rows.at(2)?.step.seq, 3)
    assert.equal(rows.at(3), undefined)
    assert.equal(rows.placeOf(2), 1)
    assert.equal(rows.placeOf(4), -1)
  })

  test('have the steps of a sub-run below the step that started it', () => {
    const rows = rowsOf(many(5), [
      { seq: 4, steps: many(1) },
      { seq: 2, steps: many(2) },
      { seq: 9, steps: many(7) },
    ])
    const told = Array.from({ length: rows.count }, (_, at) => {
      const row = rows.at(at)
      return row?.under === undefined ? `${row?.step.seq}` : `${row.under}.${row.step.seq}`
    })
    assert.deepEqual(told, ['1', '2', '2.1', '2.2', '3', '4', '4.1', '5'])
    for (const [place, seq] of [
      [0, 1],
      [4, 3],
      [7, 5],
    ] as const)
      assert.equal(rows.placeOf(seq), place)
  })
})

const shape = (line: StepLine, now = 1000) =>
  barsOf(line, now).map(({ kind, from, to, isOpen }) => [kind, from, to, isOpen])

suite('bars', () => {
  test('a step that went well is one bar', () => {
    assert.deepEqual(shape(step(1)), [['tool', 100, 150, false]])
  })

  test('a step that runs has a bar up to now', () => {
    assert.deepEqual(shape(step(1, { to: undefined, state: 'running' })), [['tool', 100, 1000, true]])
  })

  test('a bar is cut where a worker died, hatched while a person was asked, and continues after that', () => {
    const cut = step(1, { attempts: 2, cuts: [120], waits: [{ for: 'human', from: 130, to: 700 }], to: 710 })
    assert.deepEqual(shape(cut), [
      ['cut', 100, 120, false],
      ['asked', 130, 700, false],
      ['tool', 700, 710, false],
    ])
  })

  test('an approval that is open is hatched up to now', () => {
    const open = step(1, { state: 'waiting', to: undefined, waits: [{ for: 'human', from: 100, to: undefined }] })
    assert.deepEqual(shape(open), [['asked', 100, 1000, true]])
  })

  test('a question to a person is a wait from its beginning to its end', () => {
    assert.deepEqual(shape(step(1, { kind: 'human' })), [['asked', 100, 150, false]])
  })
})
