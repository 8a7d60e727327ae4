// Has a model write the procedure: asks, checks, sends back what is wrong, and gives a person the proposal or the question.
import type { Sql } from '../../../base/db.ts'
import type { Conversation, Entry, TokenUsage } from '../../../drivers/model/model.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { readAnswer, type BuilderAnswer } from './builderAnswer.ts'
import { builderSetup, requestOf } from './builderInstructions.ts'
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
import { problemLines, proposalOf } from './proposal.ts'
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
  const conversation = models.find(held.model).open(builderSetup(held, toolRegistry, models.defaultModel))
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
    const asked = await conversation.next({ signal: AbortSignal.any([signal, lost.signal]), onText: writing.hear })
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
    const rounds = held.messages.filter(({ kind }) => kind === 'user').length
    if (rounds >= questionRoundsMax) return correct(held, enoughAsked, conversation, sql)
    await askPerson(sql, held, answer.questions)
    return true
  }
  const proposal = await proposalOf(held, answer.procedure, parts)
  if (proposal.problems.length > 0) {
    const problems = problemLines(proposal.problems.slice(0, 20))
    return correct(held, `The procedure cannot be run as it is:\n${problems}`, conversation, sql)
  }
  if (proposal.diff === '') {
    const message =
      'The model proposes no change. Say in a prompt what shall be different, or leave the procedure as it is.'
    await failBuilderRun(sql, held, { code: 'nothing_to_change', message })
  } else await propose(sql, held, proposal)
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
