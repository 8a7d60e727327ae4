// Makes the rules of an earlier version live again, as a new version.
import { operation } from '../../kit/operation.ts'
import { refuseFor } from '../../kit/problems.ts'
import { Type } from '../../kit/schema.ts'
import { addVersion } from './addVersion.ts'
import { Comment, GuardrailVersion, liveVersion, readRules, versionColumns } from './guardrails.ts'

export const restoreGuardrails = operation({
  id: 'restoreGuardrails',
  client: 'guardrails.restore',
  route: 'POST /v2/teams/:teamId/guardrails/restore',
  summary: 'Restore a version of the guardrails',
  description: 'The rules of that version become a new version, which is live at once. The history stays as it is.',
  scope: 'keys:manage',
  body: Type.Object(
    {
      version: Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'One that listGuardrailVersions gives.',
      }),
      comment: Comment,
    },
    { examples: [{ version: 1, comment: 'The new hosts were wrong.' }] },
  ),
  status: 200,
  answer: Type.Object({ guardrails: GuardrailVersion }),
  errors: ['invalid_request', 'conflict', 'not_found'],
  tool: false,
  async handler({ team, caller, body, sql, enqueue, fail }) {
    await sql`select id from teams where id = ${team.id} for no key update`
    const now = await liveVersion(sql, team.id)
    if (body.version === now.version) return fail('conflict', `Version ${now.version} is live already.`)
    const [found] = await sql<GuardrailVersion>`
      select ${versionColumns} from guardrails where team_id = ${team.id} and version = ${body.version}`
    if (!found) return fail('not_found', `This team has no version ${body.version} of its guardrails.`)
    // connections and members may have gone since then
    const { rules, problems } = await readRules(sql, team.id, found.rules)
    refuseFor(problems)
    const made = { rules, comment: body.comment ?? null, restores: found.version, memberId: caller.member_id }
    return { guardrails: await addVersion(sql, enqueue, team.id, now.version + 1, made) }
  },
})
