// The seats of a process: what is reserved for teams, and what their shares leave.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAtShare, newSeatBook, releaseSeats, reserveSeats, seatsByTeam, seatsWithout, takenSeats } from './seat.ts'

const [a, b] = ['team a', 'team b']

/** A book of ten seats, of which one team may have six, and these teams hold runs. */
function bookOf(...teams: string[]) {
  const held = new Map(teams.map((team_id, index) => [`run ${index}`, { run: { team_id } }]))
  return newSeatBook(10, 6, held)
}

test('while everything fits into one share, a reservation names no team', () => {
  const book = bookOf(a, a)
  const reservation = reserveSeats(book, new Map([[b, 4]]), 8)
  assert.deepEqual([reservation.count, reservation.perTeam.size], [4, 0])
  assert.deepEqual(
    [...seatsByTeam(book)],
    [
      [a, 2],
      [b, 4],
    ],
  )
  assert.equal(takenSeats(book), 6)
})

test('a team gets no more seats than its share leaves, and another team gets the rest', () => {
  const book = bookOf(a, a, a, a, a)
  const reservation = reserveSeats(
    book,
    new Map([
      [a, 4],
      [b, 3],
    ]),
    5,
  )
  assert.deepEqual([reservation.count, [...reservation.perTeam]], [4, [[a, 1]]])
  assert.equal(isAtShare(book, a), true)
  assert.equal(isAtShare(book, b), false)
})

test('a reservation takes no more seats than are free', () => {
  const book = bookOf(a)
  const reservation = reserveSeats(book, new Map([[b, 5]]), 2)
  assert.equal(reservation.count, 2)
  assert.deepEqual(
    [...seatsByTeam(book)],
    [
      [a, 1],
      [b, 2],
    ],
  )
})

test('released seats are free again, also for a team with two reservations', () => {
  const book = bookOf()
  const first = reserveSeats(book, new Map([[a, 2]]), 10)
  const second = reserveSeats(book, new Map([[a, 3]]), 8)
  releaseSeats(book, first)
  assert.deepEqual([book.reserved, [...book.reservedOf]], [3, [[a, 3]]])
  releaseSeats(book, second)
  assert.deepEqual([book.reserved, book.reservedOf.size], [0, 0])
})

test('claimed runs take their seats from the process and from the share of their team', () => {
  const seats = { workerId: 'worker', count: 5, perTeam: new Map([[a, 2]]) }
  const left = seatsWithout(seats, [{ team_id: a }, { team_id: b }])
  assert.deepEqual([left.count, [...(left.perTeam ?? [])]], [3, [[a, 1]]])
})
