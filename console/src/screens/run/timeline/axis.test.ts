// The axis of the waterfall keeps time in order, folds what waits, and loses nothing at its ends.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeAxis, mergeWaits, momentAt, placeOf, type Wait } from './axis.ts'
import { foldsInView, stepFor, tickLabel, ticksInView } from './ticks.ts'
import { inView, isWhole, moved, readView, spanning, whole, writtenView, zoomed } from './view.ts'

const forPerson = (from: number, to: number): Wait => ({ from, to, isForPerson: true })
const close = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`)

suite('the axis', () => {
  test('is even where nothing waits', () => {
    const axis = makeAxis({ from: 1000, to: 2000, waits: [] })
    close(placeOf(axis, 1000), 0)
    close(placeOf(axis, 1250), 0.25)
    close(placeOf(axis, 2000), 1)
    assert.equal(axis.shownMs, 1000)
  })

  test('folds a long wait, so that the work around it keeps its room', () => {
    const axis = makeAxis({ from: 0, to: 500_000, waits: [forPerson(17_000, 483_000)] })
    const before = placeOf(axis, 17_000)
    const after = placeOf(axis, 483_000)
    assert.ok(after - before < 0.1)
    close(before, 1 - after)
    assert.equal(axis.shownMs, 34_000)
  })

  test('leaves a wait as it is that is shorter than its fold would be', () => {
    const axis = makeAxis({ from: 0, to: 100_000, waits: [forPerson(40_000, 45_000)] })
    assert.equal(axis.pieces.length, 1)
    close(placeOf(axis, 45_000), 0.45)
  })

  test('gives many folds less than half of the room', () => {
    const waits = Array.from({ length: 200 }, (_, at) => forPerson(at * 1_000_000 + 500, (at + 1) * 1_000_000))
    const axis = makeAxis({ from: 0, to: 200_000_000, waits })
    const folded = axis.pieces.filter(({ folds }) => folds)
    assert.equal(folded.length, 200)
    assert.ok(folded.reduce((sum, { left, right }) => sum + right - left, 0) <= 0.4501)
  })

  test('is one fold where a run did nothing but wait, and has a width where no time passed', () => {
    const only = makeAxis({ from: 0, to: 60_000, waits: [forPerson(0, 60_000)] })
    close(placeOf(only, 30_000), 0.5)
    const none = makeAxis({ from: 5, to: 5, waits: [] })
    close(placeOf(none, 5), 0)
    assert.ok(none.to > none.from)
  })

  test('takes waits at once as one, and those beyond its ends as far as they reach in', () => {
    assert.deepEqual(
      mergeWaits([{ from: 30, to: 50, isForPerson: false }, forPerson(10, 40), forPerson(60, 70)]).map(
        ({ from, to, isForPerson }) => [from, to, isForPerson],
      ),
      [
        [10, 50, true],
        [60, 70, true],
      ],
    )
    const axis = makeAxis({ from: 0, to: 100_000, waits: [forPerson(-50_000, 50_000), forPerson(60_000, 900_000)] })
    close(placeOf(axis, -1), 0)
    close(placeOf(axis, 1_000_000), 1)
  })

  test('leads from a place back to its moment', () => {
    const axis = makeAxis({ from: 0, to: 500_000, waits: [forPerson(17_000, 483_000)] })
    for (const at of [0, 3000, 17_000, 200_000, 490_000, 500_000])
      assert.ok(Math.abs(momentAt(axis, placeOf(axis, at)) - at) < 1e-3)
  })

  test('never goes back, whatever waits', () => {
    const waits = [forPerson(10, 4000), forPerson(4100, 90_000), { from: 3000, to: 4050, isForPerson: false }]
    const axis = makeAxis({ from: 0, to: 100_000, waits })
    let last = 0
    for (let at = 0; at <= 100_000; at += 50) {
      const place = placeOf(axis, at)
      assert.ok(place >= last)
      last = place
    }
    close(last, 1)
  })
})

suite('ticks', () => {
  test('are round, count the time that is shown, and are not more than there is room for', () => {
    const axis = makeAxis({ from: 0, to: 500_000, waits: [forPerson(19_500, 485_500)] })
    const { marks, taken } = foldsInView(axis, whole, 400, (ms) => `${ms / 1000} s`)
    assert.deepEqual(
      marks.map(({ label }) => label),
      ['466 s'],
    )
    const ticks = ticksInView(axis, whole, 400, taken)
    assert.equal(ticks[0]?.label, '0 s')
    assert.ok(ticks.length <= 6)
    assert.ok(ticks.every(({ at }) => at >= 0 && at <= 1))
    // the label beside the fold would lie under that of the fold
    assert.ok(ticks.some(({ label }) => label === ''))
  })

  test('become finer in a closer view', () => {
    const axis = makeAxis({ from: 0, to: 100_000, waits: [] })
    const labels = ticksInView(axis, { left: 0.5, right: 0.5002 }, 400, []).map(({ label }) => label)
    assert.deepEqual(labels.slice(0, 2), ['50.00 s', '50.01 s'])
  })

  test('have labels with the digits that their step has', () => {
    assert.equal(tickLabel(0, 5000), '0 s')
    assert.equal(tickLabel(500, 500), '500 ms')
    assert.equal(tickLabel(1500, 500), '1.5 s')
    assert.equal(tickLabel(90_000, 30_000), '1 min 30 s')
    assert.equal(tickLabel(5_400_000, 1_800_000), '1 h 30 min')
    assert.equal(tickLabel(183_600_000, 10_800_000), '2 d 3 h')
    assert.equal(stepFor(34_000, 7), 5000)
    assert.ok(stepFor(1e13, 5) >= 1e13 / 5)
  })
})

suite('the view', () => {
  test('zooms around what is pointed at, and never leaves the axis', () => {
    const close4 = zoomed(whole, 4, 0.25)
    close(inView(close4, 0.25), 0.25)
    assert.ok(isWhole(zoomed(zoomed(whole, 4), 1 / 8)))
    const { left, right } = moved({ left: 0.5, right: 0.75 }, 2)
    close(left, 0.75)
    close(right, 1)
    const narrow = spanning(0.3, 0.3)
    assert.ok(narrow.right > narrow.left)
  })

  test('is read from an address as it was written, and anything else is the whole', () => {
    const written = writtenView({ left: 0.125, right: 0.4 })
    assert.equal(written, '12.5-40')
    assert.deepEqual(readView(written), { left: 0.125, right: 0.4 })
    assert.equal(writtenView(whole), undefined)
    for (const odd of [undefined, '', '40-12', 'x', '1e9-2e9', '-5-10', '999-1000'])
      assert.ok(readView(odd).right <= 1 && readView(odd).left >= 0)
    assert.deepEqual(readView('40-12'), whole)
  })
})
