// Sets all rubrics of a build at once: what is the same stays, what is different is new, what is missing goes.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { RubricsAnswer, rubricsAnswer } from './getEvalRubrics.ts'
import {
  BuildIdOfRubrics,
  endRubric,
  insertRubric,
  lockBuild,
  NewRubric,
  rubricsMax,
  rubricsOf,
  type Rubric,
} from './rubric.ts'
import { moveRubric } from './updateEvalRubric.ts'

export const replaceEvalRubrics = operation({
  id: 'replaceEvalRubrics',
  client: 'evaluations.replaceRubrics',
  route: 'PUT /v2/agents/:agentId/eval-rubrics',
  summary: 'Replace the rubrics of a build',
  description:
    'The given rubrics, in their order, replace all others. A rubric with the same title, description and severity as before stays the ' +
    'same rubric; any other is a new one. A build has at most five.',
  scope: 'evals:write',
  body: Type.Object(
    { rubrics: Type.Array(NewRubric, { maxItems: 100 }), build_id: BuildIdOfRubrics },
    {
      examples: [
        {
          rubrics: [
            {
              title: 'Stays polite',
              description: 'Every message to the customer is friendly, and none blames them for the problem.',
              severity: 'medium',
            },
          ],
        },
      ],
    },
  ),
  status: 200,
  answer: RubricsAnswer,
  errors: ['not_found', 'rubric_limit'],
  async handler({ team, agent, body, sql, fail }) {
    if (body.rubrics.length > rubricsMax) {
      return fail(
        'rubric_limit',
        `A build has at most five rubrics, and these are ${body.rubrics.length}. Leave some out.`,
      )
    }
    const owner = { teamId: team.id, agentId: agent.id }
    const buildId = await lockBuild(sql, owner, body.build_id, fail)
    const left = await rubricsOf(sql, owner, buildId)
    const wanted = body.rubrics.map((one, index) => {
      return { ...one, severity: one.severity ?? 'medium', sortOrder: one.sort_order ?? index }
    })
    const take = (fits: (was: Rubric) => boolean): Rubric | undefined => {
      const place = left.findIndex(fits)
      return place === -1 ? undefined : left.splice(place, 1)[0]
    }
    const kept = wanted.map((one) => {
      const same = (was: Rubric) =>
        was.title === one.title && was.description === one.description && was.severity === one.severity
      return { one, was: take(same) }
    })
    for (const { one, was } of kept) {
      if (was) {
        await moveRubric(sql, team.id, was.id, one.sortOrder)
        continue
      }
      const replaced = take(({ title }) => title === one.title)
      if (replaced) await endRubric(sql, owner, replaced.id)
      await insertRubric(sql, owner, buildId, { ...one, replaces: replaced?.id ?? null })
    }
    for (const { id } of left) await endRubric(sql, owner, id)
    return rubricsAnswer(sql, team.id, buildId)
  },
})
