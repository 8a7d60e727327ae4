// Has a model write the procedure: asks, checks, sends back what is wrong, and gives a person the proposal or the question.
import type { Sql } from '../../../base/db.ts'
import type { Conversation, Entry, TokenUsage } from '../../../drivers/model/model.ts'
import { monthSpent } from '../../../engine/counting/monthSpent.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { readAnswer, type BuilderAnswer } from './builderAnswer.ts'
import { builderFacts } from './builderFacts.ts'
import { builderSetup, requestOf } from './builderInstructions.ts'
import { draftSetup } from './draftSetup.ts'
import {
  askPerson,
  failBuilderRun,
  propose,
  addMessage,
  writeProgress,
  type HeldBuilderRun,
  type Spent,
  type BuilderMessage,
} from './heldBuilderRun.ts'
import { questionFor, questionsFor } from './missingRecords.ts'
import { problemLines, proposalOf } from './proposal.ts'
import type { Missing } from './teamOffers.ts'
import { followWriting } from './writingProgress.ts'

interface Parts {
  context: Context
  sql: Sql
  signal: AbortSignal
}

/** How often the model may correct itself before a person must look. */
const correctionsMax = 3
/** How often it may ask questions. After that it must write with what it knows. */
const questionRoundsMax = 3

/** Only the row says what comes next, so whoever continues after a crash does the same. */
export async function buildByModel(held: HeldBuilderRun, parts: Parts): Promise<void> {
  const { models: all, toolRegistry } = engineOf(parts.context)
  const models = await all.of(held.team_id)
  const facts = await builderFacts(held, parts)
  const told = { toolRegistry, defaultModel: models.defaultModel, facts }
  const conversation = models.find(held.model).open(builderSetup(held, told))
  conversation.add({ kind: 'user', text: requestOf(held), restarts: false })
  for (const said of held.messages) conversation.add(entryOf(said))
  for (;;) {
    parts.signal.throwIfAborted()
    const last = held.messages.at(-1)
    const isDone =
      last?.kind === 'assistant'
        ? await actOn(held, last.answer, conversation, parts)
        : await takeTurn(held, conversation, parts)
    if (isDone) return
  }
}

const entryOf = (said: BuilderMessage): Entry => {
  if (said.kind === 'user') return { kind: 'user', text: said.text, restarts: false }
  if (said.kind === 'system') return { kind: 'system', text: said.text }
  return { kind: 'assistant', text: said.text, calls: [], opaque: said.opaque }
}

/** Asks for one answer and writes it down before anything is done with it; true: the model cannot continue. */
async function takeTurn(held: HeldBuilderRun, conversation: Conversation, parts: Parts): Promise<boolean> {
  const { context, sql } = parts
  // what it asked before, or others did, may have used up the month since it began
  const noMoney = await monthSpent(sql, held.team_id)
  if (noMoney !== undefined) {
    await failBuilderRun(sql, held, { code: 'entitlement_exceeded', message: noMoney })
    return true
  }
  const turn = held.messages.filter(({ kind }) => kind === 'assistant').length + 1
  const first =
    turn > 1
      ? []
      : ['Reading the current procedure.', ...(held.lesson ? [`Reading run ${held.lesson.run_number}.`] : [])]
  await writeProgress(sql, held, [...first, `Turn ${turn}: asking ${held.model}.`])
  const { asked, told } = await askFor(held, turn, conversation, parts)
  const { ending, text, opaque, usage } = asked
  const spent = spentOn(context, held, usage)
  if (ending.kind === 'failed') {
    await failBuilderRun(sql, held, ending, spent)
    held.uncounted = undefined
    return true
  }
  const answer: BuilderAnswer =
    ending.kind === 'done'
      ? readAnswer(ending.output)
      : { misfit: 'There are no tools here. Answer with the JSON alone.' }
  await addMessage(
    sql,
    held,
    { kind: 'assistant', text, opaque, answer },
    [...told, `Turn ${turn}: checking the answer.`],
    spent,
  )
  held.uncounted = undefined
  conversation.add(entryOf(held.messages.at(-1)!))
  return false
}

export const spentOn = (context: Context, { model }: HeldBuilderRun, usage: TokenUsage): Spent => ({
  ...usage,
  cost_usd: engineOf(context).models.costOf(model, usage),
})

/** The answer, and the headings in it that are not reported yet. */
async function askFor(held: HeldBuilderRun, turn: number, conversation: Conversation, { sql, signal }: Parts) {
  const lost = new AbortController()
  const writing = followWriting(
    turn,
    (lines) => writeProgress(sql, held, lines),
    (error) => lost.abort(error),
  )
  try {
    held.uncounted = { usage: undefined }
    const asked = await conversation.next({ signal: AbortSignal.any([signal, lost.signal]), onText: writing.hear })
    held.uncounted = { usage: asked.usage }
    return { asked, told: writing.left() }
  } finally {
    await writing.end()
  }
}

/** True: a person must act now, or it has failed. */
async function actOn(
  held: HeldBuilderRun,
  answer: BuilderAnswer,
  conversation: Conversation,
  parts: Parts,
): Promise<boolean> {
  const { sql } = parts
  if ('misfit' in answer) return correct(held, answer.misfit, conversation, sql)
  if ('questions' in answer) {
    if (!mayAsk(held)) return correct(held, enoughAsked, conversation, sql)
    await askPerson(sql, held, answer.questions)
    return true
  }
  const { procedure, setup = null } = answer
  const draft = await draftSetup(held, { procedure, setup }, parts)
  if (draft.missing.length > 0) return askForMissing(held, draft.missing, conversation, parts)
  const proposal = await proposalOf(held, { procedure, ...draft }, parts)
  const problems = [...draft.problems, ...(proposal.problems.length > 0 ? [problemLines(proposal.problems)] : [])]
  if (problems.length > 0) {
    const lines = problems.join('\n').split('\n').slice(0, 20).join('\n')
    return correct(held, `The draft cannot be used as it is:\n${lines}`, conversation, sql)
  }
  if (proposal.isNew) await propose(sql, held, proposal)
  else {
    const message =
      'The model proposes no change. Say in a prompt what shall be different, or leave the draft as it is.'
    await failBuilderRun(sql, held, { code: 'nothing_to_change', message })
  }
  return true
}

const mayAsk = ({ messages }: HeldBuilderRun): boolean =>
  messages.filter(({ kind }) => kind === 'user').length < questionRoundsMax

/** How many questions a person gets at once. */
const questionsMax = 5

/** Nothing that is missing gets into a draft: a person is asked, once for each. */
async function askForMissing(held: HeldBuilderRun, missing: Missing[], conversation: Conversation, parts: Parts) {
  const each = [...new Map(missing.map((one) => [questionFor(one), one])).values()]
  const open = each.filter((one) => !Object.hasOwn(held.answers, questionFor(one)))
  if (open.length === 0 || !mayAsk(held)) {
    const named = each.map(({ noun, name }) => `the ${noun} ${JSON.stringify(name)}`).join(', ')
    const problem = `These names still stand for nothing that the person may use, or for several things: ${named}. Use what they said instead, an id where there are several, or leave it out.`
    return correct(held, problem, conversation, parts.sql)
  }
  await askPerson(parts.sql, held, await questionsFor(held, open.slice(0, questionsMax), parts))
  return true
}

const enoughAsked = `The person has answered ${questionRoundsMax} times and is not asked again. Write the procedure with what you know, and say in its notes what you assumed.`

async function correct(held: HeldBuilderRun, problem: string, conversation: Conversation, sql: Sql): Promise<boolean> {
  const sinceAnswer = held.messages.slice(held.messages.findLastIndex(({ kind }) => kind === 'user') + 1)
  const corrections = sinceAnswer.filter(({ kind }) => kind === 'system').length
  if (corrections >= correctionsMax) {
    const message = `The model gave no usable answer, also after ${correctionsMax} corrections. The last problem: ${problem}`
    await failBuilderRun(sql, held, { code: 'invalid_proposal', message })
    return true
  }
  const turn = held.messages.filter(({ kind }) => kind === 'assistant').length
  const text = `${problem}\nAnswer again with the whole JSON.`
  await addMessage(sql, held, { kind: 'system', text }, [`Turn ${turn}: its answer must be corrected. ${problem}`])
  conversation.add({ kind: 'system', text: (held.messages.at(-1) as { text: string }).text })
  return false
}
