// Makes a new version of a team's guardrails, which is live at once.
import { isDeepStrictEqual } from 'node:util'
import { operation } from '../../kit/operation.ts'
import { refuseFor } from '../../kit/problems.ts'
import { Type } from '../../kit/schema.ts'
import { addVersion } from './addVersion.ts'
import { Comment, GuardrailVersion, liveVersion, readRules, RulesGiven } from './guardrails.ts'

export const setGuardrails = operation({
  id: 'setGuardrails',
  client: 'guardrails.set',
  route: 'PUT /v2/teams/:teamId/guardrails',
  summary: 'Set the guardrails',
  description:
    'Replaces all rules by these: a new version, live in every process within about a second, also for the next calls of runs under way. Rules ' +
    'only narrow what builds allow. Rules that are live already make no new version. Start a dry run first to see what they would have stopped.',
  scope: 'keys:manage',
  body: Type.Object(
    {
      rules: RulesGiven,
      expected_version: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 2_147_483_647,
          description: 'The version that you changed: refused if another is live.',
        }),
      ),
      comment: Comment,
    },
    {
      examples: [
        {
          rules: { always_ask: ['browser_*'], runs_per_day: 500, cost_usd_per_day: '50' },
          comment: 'Careful with pages.',
        },
      ],
    },
  ),
  status: 200,
  answer: Type.Object({ guardrails: GuardrailVersion }),
  errors: ['invalid_request', 'conflict'],
  tool: false,
  async handler({ team, caller, body, sql, enqueue, fail }) {
    // locked against others who change the same
    await sql`select id from teams where id = ${team.id} for no key update`
    const now = await liveVersion(sql, team.id)
    if (body.expected_version !== undefined && body.expected_version !== now.version) {
      fail('conflict', `Version ${now.version} is live by now. Read it, then change it.`)
    }
    const { rules, problems } = await readRules(sql, team.id, body.rules)
    refuseFor(problems)
    if (isDeepStrictEqual(rules, { ...now.rules })) return { guardrails: now }
    const made = { rules, comment: body.comment ?? null, restores: null, memberId: caller.member_id }
    return { guardrails: await addVersion(sql, enqueue, team.id, now.version + 1, made) }
  },
})
