// Starts a builder run that writes the procedure of a draft: with a model, or by rules if the server has none.
import { one, type Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { cutSecretLike } from '../../../base/secretLike.ts'
import { engineOf } from '../../../engine/engine.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { advanceBuilder } from './advanceBuilder.job.ts'
import { insertBuild, type Build } from '../builds/build.ts'
import {
  type BuilderRow,
  builderRunAnswer,
  BuilderRunAnswer,
  builderRunColumns,
  jobOptionsOf,
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
      run_id: Type.Optional(Type.String({ description: 'A run of the same agent to learn from.' })),
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
  errors: ['builder_run_active', 'not_found'],
  async handler({ team, build, caller, body, context, sql, enqueue, fail }) {
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
    const draft = locked.status === 'draft' ? locked : await copyOf(sql, locked, team.id, caller.member_id)
    const [begun] = await sql<BuilderRow>`
      insert into builder_runs (id, team_id, agent_id, build_id, status, model, prompt, run_id, lesson, checkpoint_config, created_by)
      values (${newId()}, ${team.id}, ${draft.agent_id}, ${draft.id}, 'pending', ${writerOf(draft.config, defaultModel)},
        ${prompt}, ${lesson ? body.run_id : null}, ${lesson ? JSON.stringify(lesson) : null}::jsonb,
        ${JSON.stringify(draft.config)}::jsonb, ${caller.member_id})
      on conflict (build_id) where status in ('pending', 'running', 'waiting', 'review') do nothing
      returning ${builderRunColumns}`
    if (!begun) return fail('builder_run_active')
    const told = cut > 0 ? await tellOfCut(sql, begun.id, team.id) : begun
    await enqueue(advanceBuilder, { builder_run_id: begun.id, team_id: team.id }, jobOptionsOf(begun.id))
    return builderRunAnswer(told)
  },
})

const tellOfCut = (sql: Sql, id: string, teamId: string): Promise<BuilderRow> =>
  one(sql<BuilderRow>`
    update builder_runs set progress = ${addProgress([cutNotice])} where id = ${id} and team_id = ${teamId}
    returning ${builderRunColumns}`)

/** The copy is not checked: somebody may want a build rewritten because it no longer runs. */
async function copyOf(sql: Sql, source: Build, teamId: string, memberId: string): Promise<Build> {
  const copy = await insertBuild(sql, {
    teamId,
    agentId: source.agent_id,
    name: source.name,
    status: 'draft',
    config: source.config,
    parentBuildId: source.id,
    createdBy: memberId,
  })
  // the agent's row is locked: it cannot have been deleted since
  return copy!
}
