// The words of a row: one case for everything that a run can do or wait for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedRunDetails, Run } from '@runyard/sdk'
import { issuesOf, nowOrWhy } from './nowOrWhy.ts'

const details: ListedRunDetails = {
  run_id: 'x',
  build_number: 3,
  step: null,
  human_request: null,
  line: null,
  stopped_by: null,
}

type Row = Parameters<typeof nowOrWhy>[0]

const said = (run: Partial<Row>) =>
  nowOrWhy(
    {
      status: 'running',
      waiting_on: null,
      postponed_to: null,
      error: null,
      output: null,
      usage: { steps: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      details,
      ...run,
    },
    'UTC',
  )

const waits = (kind: NonNullable<Run['waiting_on']>['kind'], detail: object = {}): Partial<Row> => ({
  status: 'waiting',
  waiting_on: { kind, since: '2026-11-17T01:00:00.000Z', detail },
})

test('a run that has no slot says whose slots are in use', () => {
  const line = { places_held: 50, places_total: 50, agent_places_held: 0, agent_places_total: null }
  assert.equal(said({ status: 'pending', details: { ...details, line } }).text, 'Waits for a slot: 50 of 50 in use')
  const capped = { ...line, places_held: 7, agent_places_held: 4, agent_places_total: 4 }
  assert.equal(
    said({ status: 'pending', details: { ...details, line: capped } }).text,
    'Waits for a slot: 4 of 4 in use by this agent',
  )
  assert.equal(said({ status: 'pending' }).text, 'About to start')
})

test('a running run says its step', () => {
  const step = { seq: 7, kind: 'tool' as const, name: 'mail_label', started_at: '2026-11-17T01:00:00.000Z' }
  assert.deepEqual(said({ details: { ...details, step } }), { tone: 'alive', text: 'Step 7 · mail_label' })
  assert.equal(said({ details: { ...details, step: { ...step, kind: 'model' } } }).text, 'Step 7 · asks mail_label')
  assert.equal(said({}).text, 'Starting')
})

test('a waiting run says for what', () => {
  const human_request = { id: 'x', type: 'form' as const, title: 'Tax number', expires_at: null }
  assert.deepEqual(said({ ...waits('human'), details: { ...details, human_request } }), {
    tone: 'person',
    text: 'Form: Tax number',
  })
  assert.equal(said(waits('human')).text, 'Answered, about to continue')
  const until = '2999-11-17T06:00:00.000Z'
  assert.match(said({ ...waits('time'), postponed_to: until }).text, /^Until 17 Nov.*06:00, set by the run itself$/)
  const trouble = { reason: 'model_unavailable', message: 'It is full.' }
  assert.match(
    said({ ...waits('time', trouble), postponed_to: until }).text,
    /^Model in trouble, next try .*: It is full/,
  )
  assert.equal(
    said(waits('connection', { name: 'Bank', reason: 'The grant was revoked.' })).text,
    'For connection “Bank”: The grant was revoked.',
  )
  assert.equal(said(waits('sub_run', { agent_name: 'Photo check' })).text, 'For a run of Photo check')
  assert.equal(said(waits('capacity')).text, 'About to continue')
})

test('what only the details can tell is left open until they are there', () => {
  for (const run of [{ status: 'pending' as const }, waits('capacity'), waits('human'), { status: 'running' as const }])
    assert.equal(said({ ...run, details: undefined }).text, '')
})

test('an ended run says how it ended, in one short line', () => {
  const error = { code: 'limit_reached', message: 'max_steps is 12.\nMore.', step: 12 }
  assert.deepEqual(said({ status: 'failed', error }), {
    tone: 'broke',
    code: 'limit_reached',
    text: 'max_steps is 12.',
  })
  assert.equal(said({ status: 'completed', output: ' Sorted.\nAnd more' }).text, 'Sorted.')
  assert.equal(
    said({ status: 'completed', output: { address: 'Way 1', is_known: true, tags: ['a'] } }).text,
    'address: Way 1 · is_known: true · tags: ["a"]',
  )
  assert.equal(said({ status: 'completed', output: 'x'.repeat(5000) }).text.length, 301)
  const stopped_by = { reason: 'member' as const, name: 'Night operator' }
  assert.equal(said({ status: 'stopped', details: { ...details, stopped_by } }).text, 'Stopped by Night operator')
})

test('issues are those of the latest evaluation, whatever is stored there', () => {
  assert.equal(issuesOf({ severity_counts: { critical: 1, medium: 0, low: 2 } }), 3)
  for (const other of [null, undefined, 'x', 5, {}, { severity_counts: 'many' }]) assert.equal(issuesOf(other), 0)
})
