// Answers what a builder run asked, so that it continues.
import { choicesOf } from '../../../kit/choices.ts'
import { brief } from '../../../kit/json.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { advanceBuilder } from './advanceBuilder.job.ts'
import {
  type BuilderRow,
  builderRunAnswer,
  BuilderRunAnswer,
  builderRunColumns,
  jobOptionsOf,
  type BuilderQuestion,
} from './builderRun.ts'
import { cutAnswers, cutNotice, type Answers } from './cutValues.ts'
import { addProgress } from './heldBuilderRun.ts'

const Answer = Type.String({ maxLength: 65_536 })

export const resumeBuilderRun = operation({
  id: 'resumeBuilderRun',
  client: 'agents.resumeBuilderRun',
  route: 'POST /v2/builder-runs/:builder_run_id/resume',
  summary: 'Answer a builder run',
  description:
    'Every open question needs an answer; other answers are ignored. What looks like the value of a secret is cut out and not kept.',
  scope: 'agents:write',
  body: Type.Object(
    {
      answers: Type.Record(Type.String(), Type.Union([Answer, Type.Array(Answer)]), {
        description:
          'By the text of the question: words, or with `multi_select` a list of labels, also as one text with commas between.',
      }),
    },
    { examples: [{ answers: { 'When is the work done?': 'When every invoice is filed.' } }] },
  ),
  status: 200,
  answer: BuilderRunAnswer,
  errors: ['invalid_request', 'builder_run_not_waiting'],
  async handler({ team, builder_run, body, sql, enqueue, fail }) {
    const asked = builder_run.pending_user_questions?.questions
    if (builder_run.status !== 'waiting' || !asked) return fail('builder_run_not_waiting')
    const answers = answersTo(asked, body.answers)
    const missing = asked.filter(({ question }) => !Object.hasOwn(answers, question))
    if (missing.length > 0) {
      const named = missing.map(({ question }) => brief(JSON.stringify(question)))
      return fail('invalid_request', `answers: nothing is said to ${brief(named.join(', '))}. Answer every question.`)
    }
    const { answers: clean, cut } = cutAnswers(answers)
    const said = { kind: 'user', text: talkOf(clean) }
    const lines = [
      `Got answers to: ${asked.map(({ question }) => question).join(' ')}`,
      ...(cut > 0 ? [cutNotice] : []),
    ]
    // the questions are part of the guard: what was read may be an earlier round of them
    const [resumed] = await sql<BuilderRow>`
      update builder_runs set
        status = 'pending',
        answers = answers || ${JSON.stringify(clean)}::jsonb,
        messages = messages || ${JSON.stringify([said])}::jsonb,
        pending_user_questions = null,
        progress = ${addProgress(lines)},
        updated_at = now()
      where id = ${builder_run.id} and team_id = ${team.id} and status = 'waiting'
        and pending_user_questions = ${JSON.stringify(builder_run.pending_user_questions)}::jsonb
      returning ${builderRunColumns}`
    if (!resumed) return fail('builder_run_not_waiting')
    await enqueue(advanceBuilder, { builder_run_id: resumed.id, team_id: team.id }, jobOptionsOf(resumed.id))
    return builderRunAnswer(resumed)
  },
})

/** Only what was asked, and only where something is said. */
function answersTo(asked: BuilderQuestion[], given: Answers): Answers {
  const said = asked.flatMap((one): [string, string | string[]][] => {
    const answer = Object.hasOwn(given, one.question) ? given[one.question] : undefined
    const words = choicesOf(one, answer)
    const isList = Array.isArray(answer) || words.length > 1
    return words.length === 0 ? [] : [[one.question, isList ? words : words[0]!]]
  })
  return Object.fromEntries(said)
}

const talkOf = (answers: Answers): string =>
  Object.entries(answers)
    .map(([question, answer]) => `${question}\n${[answer].flat().join('; ')}`)
    .join('\n\n')
