// Reads the guardrails that are live for a team, with what it did today of what they bound.
import { dayUse } from '../../engine/guardrails/dayBounds.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { GuardrailVersion, liveVersion } from './guardrails.ts'

export const getGuardrails = operation({
  id: 'getGuardrails',
  client: 'guardrails.get',
  route: 'GET /v2/teams/:teamId/guardrails',
  summary: 'Get the guardrails',
  description:
    'Rules above all agents of the team, whatever their builds say. `today` is what the team did since the beginning of this day (UTC); ' +
    'calls that leave the service are counted only while `outside_calls_per_day` bounds them.',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({
    guardrails: GuardrailVersion,
    today: Type.Object({
      day: Type.String({ examples: ['2026-07-18'] }),
      runs: Type.Integer({ minimum: 0 }),
      outside_calls: Type.Integer({ minimum: 0 }),
      cost_usd: Type.String({
        description: 'What models cost, except in replays, with what is held back for calls under way.',
      }),
    }),
  }),
  handler: async ({ team, sql }) => ({
    guardrails: await liveVersion(sql, team.id),
    today: await dayUse(sql, team.id),
  }),
})
