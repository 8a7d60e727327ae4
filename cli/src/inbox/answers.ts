// The answers of a command line, by the questions that they belong to.
import type { HumanRequest } from '../../../sdk/src/index.ts'
import { UsageError } from '../command.ts'
import { questionsOf } from './requestLines.ts'

export function answersOf(request: HumanRequest, given: string[]): Record<string, string | string[]> {
  const questions = questionsOf(request).map(({ question }) => question)
  const answers = new Map<string, string[]>()
  for (const text of given) {
    // the text of a question may have a = in it
    const named = questions.find((question) => text.startsWith(`${question}=`))
    const question = named ?? (questions.length === 1 ? questions[0] : undefined)
    if (question === undefined) {
      const known = questions.map((one) => JSON.stringify(one)).join(', ')
      throw new UsageError(`"${text}" answers none of the questions: ${known || 'this request has none'}.`)
    }
    const answer = named === undefined ? text : text.slice(named.length + 1)
    answers.set(question, [...(answers.get(question) ?? []), answer])
  }
  return Object.fromEntries([...answers].map(([question, all]) => [question, all.length > 1 ? all : (all[0] ?? '')]))
}
