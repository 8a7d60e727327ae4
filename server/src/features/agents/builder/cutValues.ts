// Values of secrets in what people write to a builder: cut out before anything is stored, with a reference in their place.
import type { Sql } from '../../../base/db.ts'
import { cutMark, cutSecretLike } from '../../../base/secretLike.ts'
import { parseBuildConfig } from '../../../engine/builds/buildConfig.ts'
import type { Context } from '../../../kit/context.ts'
import { secretUseOf } from '../../../kit/registry.ts'
import type { BuilderQuestion } from './builderRun.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'
import { leaveItOut } from './missingRecords.ts'
import { listOffered } from './teamOffers.ts'

/** What the person is told, once. */
export const cutNotice =
  'What looked like the value of a secret was cut out and not kept. Save it under Connections, Secrets: a draft only names it.'

export type Answers = Record<string, string | string[]>

/** The answers without values, and how many were cut out. */
export function cutAnswers(answers: Answers): { answers: Answers; cut: number } {
  let count = 0
  const clean = (text: string): string => {
    const { text: left, cut } = cutSecretLike(text)
    count += cut
    return left
  }
  const entries = Object.entries(answers).map(([question, answer]) => [
    question,
    typeof answer === 'string' ? clean(answer) : answer.map(clean),
  ])
  return { answers: Object.fromEntries(entries) as Answers, cut: count }
}

const whichSecret =
  'A value that looks like a secret was cut out of what you wrote. Which secret shall stand there? Save it under Connections, Secrets, ' +
  'and answer with its name and variable, such as crm.TOKEN. Never write a value here.'

const optionsMax = 19

/** For the builder that needs no model: asks which secret stands where a value was, and puts its reference there. */
export async function withReferences(
  held: HeldBuilderRun,
  procedure: string,
  { context, sql }: { context: Context; sql: Sql },
): Promise<{ procedure: string; data: Record<string, unknown> } | { questions: BuilderQuestion[] }> {
  const { data } = held.checkpoint_config
  if (!procedure.includes(cutMark)) return { procedure, data }
  const { records } = await listOffered(held, 'secrets', { context, sql })
  const wanted = records.map(({ name }) => name)
  const sets = (await secretUseOf(context)?.keys({ sql, teamId: held.team_id, wanted })) ?? []
  const known = sets.flatMap(({ name, env_var_keys }) => env_var_keys.map((key) => ({ name, label: `${name}.${key}` })))
  const answer = held.answers[whichSecret]
  if (answer === undefined) {
    const options = known.slice(0, optionsMax).map(({ label }) => ({ label }))
    const question = { question: whichSecret, header: 'Secret', options: [...options, { label: leaveItOut }] }
    return { questions: [{ ...question, multi_select: false }] }
  }
  const chosen = known.find(({ label }) => label === [answer].flat().join('').trim())
  if (!chosen) return { procedure: procedure.replaceAll(cutMark, '(a secret that is not given)'), data }
  const { secrets } = parseBuildConfig(held.checkpoint_config).given
  return {
    procedure: procedure.replaceAll(cutMark, `{{ secrets.${chosen.label} }}`),
    data: secrets.includes(chosen.name) ? data : { ...data, secrets: [...secrets, chosen.name] },
  }
}
