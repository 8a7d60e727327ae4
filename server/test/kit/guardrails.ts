// Guardrails for tests: set as users set them, and known to every process.
import assert from 'node:assert/strict'
import { engineOf } from '../../src/engine/engine.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

/** Makes these rules live, and returns their version when all these processes know it. */
export async function setRules(apps: TestApp[], team: TestTeam, rules: object): Promise<number> {
  const { status, body, text } = await team.call('PUT /v2/teams/:teamId/guardrails', { body: { rules } })
  assert.equal(status, 200, text)
  const { version } = body.guardrails
  for (const { context } of apps) {
    const { guardrails } = engineOf(context)
    while ((await guardrails.of(team.id))?.version !== version)
      await Promise.all([guardrails.refresh(), team.sql`select`])
  }
  return version
}

/** Quiet from now on for at least a day, whatever the hour. */
export function quietNow() {
  const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
  const today = new Date().getUTCDay()
  const days = [names[(today + 6) % 7]!, names[today]!, names[(today + 1) % 7]!]
  return { quiet_hours: [{ days, from: '00:00', to: '24:00' }], time_zone: 'UTC' }
}

/** What was stopped, the oldest first. */
export const stopsOf = (team: TestTeam) => team.sql<{
  run_id: string
  step: number
  rule: string
  way: string
  version: number
}>`
  select run_id, step, rule, way, version from guardrail_stops where team_id = ${team.id} order by at, run_id, step, rule`
