// Changes a rubric: a new one replaces it, so that old results keep their meaning.
import type { Sql } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { endRubric, insertRubric, lockBuild, Rubric, rubricColumns, rubricFields } from './rubric.ts'

export const updateEvalRubric = operation({
  id: 'updateEvalRubric',
  client: 'evaluations.updateRubric',
  route: 'PATCH /v2/agents/:agentId/eval-rubrics/:rubric_id',
  summary: 'Change a rubric',
  description:
    'A new rubric, with an id and a slug of its own, replaces the old one; old results stay. If only `sort_order` changes, the rubric ' +
    'stays the same.',
  scope: 'evals:write',
  body: Type.Object(
    {
      title: Type.Optional(rubricFields.title),
      description: Type.Optional(rubricFields.description),
      severity: Type.Optional(rubricFields.severity),
      sort_order: Type.Optional(rubricFields.sort_order),
    },
    { examples: [{ severity: 'critical' }] },
  ),
  status: 200,
  answer: wrapped('rubric', 'rubric_id', Rubric),
  errors: ['not_found'],
  async handler({ team, agent, rubric: was, body, sql, fail }) {
    const owner = { teamId: team.id, agentId: agent.id }
    await lockBuild(sql, owner, was.build_id, fail)
    const wanted = {
      title: body.title ?? was.title,
      description: body.description ?? was.description,
      severity: body.severity ?? was.severity,
    }
    const sortOrder = body.sort_order ?? was.sort_order
    if (wanted.title === was.title && wanted.description === was.description && wanted.severity === was.severity) {
      const moved = await moveRubric(sql, team.id, was.id, sortOrder)
      return moved ? { rubric: moved, rubric_id: moved.id } : fail('not_found')
    }
    if (!(await endRubric(sql, owner, was.id))) return fail('not_found')
    const rubric = await insertRubric(sql, owner, was.build_id, { ...wanted, sortOrder, replaces: was.id })
    return { rubric, rubric_id: rubric.id }
  },
})

export async function moveRubric(sql: Sql, teamId: string, id: string, sortOrder: number): Promise<Rubric | undefined> {
  const [moved] = await sql<Rubric>`
    update eval_rubrics r set sort_order = ${sortOrder}
    where r.id = ${id} and r.team_id = ${teamId} and r.deleted_at is null returning ${rubricColumns}`
  return moved
}
