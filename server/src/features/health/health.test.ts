// Health, readiness and metrics, as a supervisor and Prometheus read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp()

// proves health.ready
test('a process is alive all along, and ready until it drains', async () => {
  assert.equal((await service.call('GET /healthz')).status, 200)
  assert.equal((await service.call('GET /readyz')).status, 200)
  service.context.lifecycle.draining = true
  const draining = await service.call('GET /readyz')
  service.context.lifecycle.draining = false
  assert.equal(draining.status, 503)
  assert.deepEqual(draining.body.problems, ['the process is stopping'])
  assert.equal(draining.headers['connection'], 'close')
})

// proves health.metrics
test('requests are counted by operation and status', async () => {
  const team = await seedTeam(service)
  await team.call('GET /v2/teams')
  const { text, headers } = await service.call('GET /metrics')
  assert.match(headers['content-type']!, /^text\/plain/)
  assert.match(text, /runyard_request_duration_seconds_count\{operation="listTeams",status="200"\} 1/)
  assert.match(text, /runyard_database_present 1/)
  assert.match(text, /process_resident_memory_bytes \d+/)
})
