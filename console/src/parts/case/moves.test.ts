// Moves of cases: from every state with every holder, what a person may do and what not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveTo, wayBack, type Me, type Movable } from './moves.ts'
import { caseStatuses, type CaseStatus } from './words.ts'

const free = (display_status: CaseStatus): Movable => ({
  display_status,
  claimed_by_run_id: null,
  claimed_by_user_id: null,
})
const mine = { ...free('in_progress'), claimed_by_user_id: 'me' }
const theirs = { ...free('in_progress'), claimed_by_user_id: 'other' }
const ofRun = { ...free('needs_input'), claimed_by_run_id: 'run' }

const me = { id: 'me', role: 'operator' } as const

const kinds = (item: Movable, by: Me = me) =>
  caseStatuses.map((to) => {
    const { move } = moveTo(item, to, by)
    return move ? `${move.kind}${move.asks ? `?${move.asks}` : ''}` : '-'
  })

const back = (item: Movable, to: CaseStatus) => {
  const { move } = moveTo(item, to, me)
  return move && wayBack(item, move, me)?.kind
}

void test('a free case is claimed, completed, failed with a reason and postponed to a time', () => {
  assert.deepEqual(kinds(free('pending')), ['-', 'claim', '-', 'postpone?time', 'complete', 'fail?reason'])
  assert.deepEqual(kinds(free('postponed')), ['set', 'claim', '-', '-', 'complete', 'fail?reason'])
})

void test('whoever holds a case gives it back, and only an admin takes one from another member', () => {
  assert.deepEqual(kinds(mine), ['release', '-', '-', 'postpone?time', 'complete', 'fail?reason'])
  assert.deepEqual(kinds(theirs), ['-', '-', '-', '-', '-', '-'])
  const taken = ['takeOver?holder', 'takeOver?holder', '-', '-', '-', '-']
  assert.deepEqual(kinds(theirs, { id: 'me', role: 'admin' }), taken)
})

void test('a case of a run is taken only by stopping the run, and an ended one becomes pending first', () => {
  assert.deepEqual(kinds(ofRun), ['set?stop', '-', '-', '-', 'set?stop', 'set?stop'])
  assert.deepEqual(kinds(free('failed')), ['set', '-', '-', '-', 'set', '-'])
})

void test('what was done to a free case or to one’s own can be taken back', () => {
  assert.deepEqual(
    [back(free('pending'), 'in_progress'), back(free('pending'), 'completed'), back(mine, 'pending')],
    ['release', 'set', 'claim'],
  )
  assert.deepEqual([back(mine, 'completed'), back(ofRun, 'failed')], [undefined, undefined])
})
