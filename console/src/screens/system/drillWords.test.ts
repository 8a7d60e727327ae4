// Drills in words.
import assert from 'node:assert/strict'
import { proves } from '../../../../server/test/kit/proves.ts'
import { phaseWords, readCount } from './drillWords.ts'

proves('console.drills', 'a field takes a whole number within its bounds, and says so otherwise', () => {
  const bounds = { min: 1, max: 5000 }
  assert.equal(readCount(' 200 ', bounds), 200)
  for (const wrong of ['', '0', '5001', '2.5', '1e3', 'many']) {
    assert.equal(readCount(wrong, bounds), 'A whole number from 1 to 5000.')
  }
})

proves('console.drills', 'a drill that was asked to stop says so before it has ended', () => {
  const progress = { phase: 'killing' as const, runs_started: 1, runs_ended: 0, kills: 0, deliveries: 0 }
  const drill = { state: 'running' as const, progress, stop_asked_at: null }
  assert.equal(phaseWords(drill), 'Killing workers')
  assert.match(phaseWords({ ...drill, stop_asked_at: '2026-01-01T00:00:00Z' }), /^Stopping/)
  assert.match(phaseWords({ ...drill, state: 'requested', progress: null }), /^Waiting for a worker/)
})
