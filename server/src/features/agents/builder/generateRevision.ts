// Starts a builder run that writes the procedure of a draft: with a model, or by rules if the server has none.
import { one, type Sql } from '../../../base/db.ts'
import { cutSecretLike } from '../../../base/secretLike.ts'
import { monthSpent } from '../../../engine/counting/monthSpent.ts'
import { engineOf } from '../../../engine/engine.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { beginBuilderRun, copyOf } from './beginBuilderRun.ts'
import {
  builtinBuilder,
  type BuilderRow,
  builderRunAnswer,
  BuilderRunAnswer,
  builderRunColumns,
  lockBuild,
  writerOf,
} from './builderRun.ts'
import { cutNotice } from './cutValues.ts'
import { addProgress } from './heldBuilderRun.ts'
import { readLesson } from './lesson.ts'

const promptLengthMax = 32_768

export const generateRevision = operation({
  id: 'generateRevision',
  client: 'agents.generateRevision',
  route: 'POST /v2/revisions/:build_id/generate',
  summary: 'Generate a procedure',
  description:
    'Starts a builder run that proposes a procedure for this draft, with what its runs need (secrets, logins, skills, files and connections by ' +
    'name, models) and what starts them, or asks if something is unclear or missing. Nothing changes until the proposal is accepted. What ' +
    'looks like the value of a secret in `prompt` is cut out and not kept. For a live or historic build a draft is made first, and the answer has the `build_id` of that draft. Without a model a ' +
    'simple builder adds the words of the prompt, in order (goal, steps, notes), to the existing procedure.',
  scope: 'agents:write',
  body: Type.Object(
    {
      prompt: Type.Optional(
        Type.String({
          maxLength: promptLengthMax,
          description: 'What the agent shall do. Absent: improve what is there.',
        }),
      ),
      run_id: Type.Optional(
        Type.String({ description: 'A run of the same agent to learn from. It takes the scope `runs:read` too.' }),
      ),
    },
    {
      examples: [
        {
          prompt:
            'Sort incoming invoices by supplier. Check that each has an amount and a due date. Done when every invoice is filed.',
        },
      ],
    },
  ),
  status: 202,
  answer: BuilderRunAnswer,
  errors: ['builder_run_active', 'entitlement_exceeded', 'insufficient_scope', 'not_found'],
  async handler({ team, build, caller, body, context, sql, fail }) {
    // what the run said goes into the proposal, which agents:read shows
    if (body.run_id !== undefined && !caller.scopes.has('runs:read')) {
      fail(
        'insufficient_scope',
        'To learn from a run takes the scope runs:read. Leave out run_id, or use a credential that has it.',
      )
    }
    const locked = await lockBuild(sql, build, team.id)
    if (!locked) return fail('not_found')
    const lesson = body.run_id === undefined ? null : await readLesson(sql, body.run_id, build.agent_id, team.id)
    if (lesson === undefined) {
      return fail(
        'not_found',
        'This agent has no run with this run_id. GET /v2/teams/{teamId}/runs?agent_id=… lists them.',
      )
    }
    const { text: prompt, cut } = cutSecretLike(body.prompt?.trim() ?? '')
    const { defaultModel } = await engineOf(context).models.of(team.id, sql)
    const model = writerOf(locked.config, defaultModel)
    const spent = model === builtinBuilder ? undefined : await monthSpent(sql, team.id)
    if (spent !== undefined) return fail('entitlement_exceeded', spent)
    const draft = locked.status === 'draft' ? locked : await copyOf(sql, locked, team.id, caller.member_id)
    const begun = await beginBuilderRun(sql, {
      draft,
      model,
      prompt,
      learns: lesson && body.run_id !== undefined ? { runId: body.run_id, lesson } : null,
      teamId: team.id,
      memberId: caller.member_id,
    })
    if (!begun) return fail('builder_run_active')
    const told = cut > 0 ? await tellOfCut(sql, begun.id, team.id) : begun
    return builderRunAnswer(told)
  },
})

const tellOfCut = (sql: Sql, id: string, teamId: string): Promise<BuilderRow> =>
  one(sql<BuilderRow>`
    update builder_runs set progress = ${addProgress([cutNotice])} where id = ${id} and team_id = ${teamId}
    returning ${builderRunColumns}`)
