// The builder that needs no model: puts the words of the prompt in order, keeps what is there, and asks for what is missing. It does not
// understand what it writes, invents nothing, and turns no prose into executable blocks.
import type { Sql } from '../../../base/db.ts'
import { parseRunbook } from '../../../drivers/model/runbook/parse.ts'
import type { Context } from '../../../kit/context.ts'
import { engineOf } from '../../../engine/engine.ts'
import { hasModel, type BuilderQuestion } from './builderRun.ts'
import { askPerson, failBuilderRun, propose, writeProgress, type HeldBuilderRun } from './heldBuilderRun.ts'
import type { Lesson } from './lesson.ts'
import { procedureTemplate } from '../builds/procedureTemplate.ts'
import { addToSection, namesGoal, sectionOf } from './procedureSections.ts'
import { doneWhen, namesFinish, readPrompt, type PromptParts } from './promptParts.ts'
import { problemLines, procedureOf, proposalOf } from './proposal.ts'
import { withReferences } from './cutValues.ts'

export interface WantedProcedure {
  agentName: string
  prompt: string
  /** The procedure as it is now. */
  procedure: string
  answers: Record<string, string | string[]>
  lesson: Lesson | null
  /** Whether runs are carried out by a model. */
  hasModel: boolean
}

export const goalQuestion = 'What is the goal of this agent?'
export const finishQuestion = 'When is the work done?'

const questions: Record<'goal' | 'finish', BuilderQuestion> = {
  goal: { question: goalQuestion, header: 'Goal' },
  finish: { question: finishQuestion, header: 'Finish' },
}

export async function buildDeterministically(
  held: HeldBuilderRun,
  { context, sql }: { context: Context; sql: Sql },
): Promise<void> {
  await writeProgress(sql, held, [
    'Reading the current procedure.',
    'No model is set: putting the words of the prompt in order.',
  ])
  const { defaultModel } = await engineOf(context).models.of(held.team_id)
  const written = writeProcedure({
    agentName: held.agent_name,
    prompt: held.prompt,
    procedure: procedureOf(held),
    answers: held.answers,
    lesson: held.lesson,
    hasModel: hasModel(held.checkpoint_config, defaultModel),
  })
  if ('questions' in written) return askPerson(sql, held, written.questions)
  const draft = await withReferences(held, written.procedure, { context, sql })
  if ('questions' in draft) return askPerson(sql, held, draft.questions)
  const proposal = await proposalOf(held, draft, { context, sql })
  if (proposal.problems.length > 0) {
    const message = `The procedure could not be run as it would be. Correct it in the draft or in the prompt:\n${problemLines(proposal.problems.slice(0, 20))}`
    return failBuilderRun(sql, held, { code: 'invalid_proposal', message })
  }
  if (proposal.isNew) return propose(sql, held, proposal)
  const message =
    'Without a model the builder only puts words in order, and it found none to add. Give a prompt, or set RUNYARD_MODEL on the server.'
  return failBuilderRun(sql, held, { code: 'nothing_to_change', message })
}

/** Pure: the same words give the same procedure. */
export function writeProcedure(wanted: WantedProcedure): { procedure: string } | { questions: BuilderQuestion[] } {
  const { prompt, answers, agentName } = wanted
  // the template is meant to be replaced
  const kept = wanted.procedure.trim() === procedureTemplate.trim() ? '' : wanted.procedure.trim()
  const isNew = kept === ''
  const parts = readPrompt(prompt, isNew)
  const hasGoal = parts.goal.length > 0 || namesGoal(kept)
  const hasFinish = namesFinish(prompt) || namesFinish(kept)
  const missing = [
    ...(hasGoal || goalQuestion in answers ? [] : [questions.goal]),
    ...(hasFinish || finishQuestion in answers ? [] : [questions.finish]),
  ]
  if (missing.length > 0) return { questions: missing }
  if (!hasGoal) parts.goal.push(answerTo(answers[goalQuestion]!))
  // a wish of one sentence is its own first step
  if (isNew && parts.steps.length === 0) parts.steps.push(...parts.goal)
  if (!hasFinish) parts.steps.push(doneWhen(answerTo(answers[finishQuestion]!)))
  if (wanted.lesson) parts.notes.push(noteOf(wanted.lesson))
  const written = withModelNote(put(parts, kept || `# ${oneLine(agentName)}`), wanted.hasModel)
  return { procedure: written === kept ? wanted.procedure : written }
}

const answerTo = (answer: string | string[]): string => oneLine([answer].flat().join('; '))
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function put({ goal, steps, notes }: PromptParts, kept: string): string {
  const withGoal = addToSection(kept, 'Goal', goal.length > 0 ? [goal.join(' ')] : [])
  const withSteps = addToSection(withGoal, 'Steps', numbered(steps, lastNumber(sectionOf(withGoal, 'Steps'))))
  return addToSection(withSteps, 'Notes', listed(notes, sectionOf(withSteps, 'Notes')))
}

/** Executable blocks stay unchanged between the steps. */
function numbered(steps: string[], last: number): string[] {
  let number = last
  return steps.flatMap((step, index) => {
    if (isBlock(step)) return [...(index > 0 ? [''] : []), step, ...(index < steps.length - 1 ? [''] : [])]
    return [`${++number}. ${step}`]
  })
}

const isBlock = (step: string): boolean => /^\s*(?:`{3,}|~{3,})/.test(step)

const lastNumber = (lines: string[]): number =>
  lines.reduce((last, line) => Math.max(last, Number(/^\s{0,3}(\d{1,4})[.)]\s/.exec(line)?.[1] ?? 0)), 0)

function listed(notes: string[], there: string[]): string[] {
  const known = new Set(there)
  return [...new Set(notes.map((note) => `- ${note}`))].filter((line) => !known.has(line))
}

const shownMax = 300
const shown = (text: string): string => {
  const line = oneLine(text)
  return line.length <= shownMax ? line : `${line.slice(0, shownMax).toWellFormed()}…`
}

function noteOf({ run_number, status, error, output, eval_summary }: Lesson): string {
  const { passed, total } = (eval_summary ?? {}) as { passed?: unknown; total?: unknown }
  const judged =
    typeof passed === 'number' && typeof total === 'number' ? ` Its evaluation: ${passed} of ${total} passed.` : ''
  if (error)
    return `Run ${run_number} failed (${error.code}): ${shown(error.message)} See that this does not happen again.${judged}`
  if (output !== null) return `Run ${run_number} left this output: ${shown(output)}${judged}`
  return `Run ${run_number} is ${status} and left no output.${judged}`
}

const modelNote =
  '- No model is set for this agent, and without one only executable blocks are carried out: add a block for each step, or set a model.'

/** Adds a note if there is no model and no executable block: such a procedure would fail at its first run. */
function withModelNote(procedure: string, isModelSet: boolean): string {
  if (isModelSet || parseRunbook(procedure).blocks.length > 0 || procedure.includes(modelNote)) return procedure
  return addToSection(procedure, 'Notes', [modelNote])
}
