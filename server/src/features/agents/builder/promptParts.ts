// Reads what somebody wrote into a goal, steps and notes by a few plain rules: a pure function without any guessing.
import { endOfBlock } from './procedureSections.ts'

export interface PromptParts {
  goal: string[]
  /** One line each, or a fenced block as it stands. */
  steps: string[]
  notes: string[]
}

type Section = keyof PromptParts | 'free'

const goalWord = 'goal|purpose|aim|objective'
const finishWord = 'finish|finished when|done when|done|output|result'
const stepsWord = 'steps?|tasks?|procedure|what to do'
const notesWord = 'notes?|rules?|remarks?|constraints|important'
/** `Goal: …`, alone on its line as a heading, or before what it announces. */
const label = new RegExp(
  `^(?:#{1,6}\\s+)?(?:(${goalWord})|(${finishWord})|(${stepsWord})|(${notesWord}))\\s*(?::\\s*(.*)|$)`,
  'i',
)
const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(.*)$/i
const title = /^#{1,6}\s+(\S.*)$/
const noteStart =
  /^(?:note\b|never\b|always\b|do not\b|don[’']t\b|avoid\b|remember\b|be careful\b|keep in mind\b|important\b|make sure\b|only\b)/i
const stepStart = /^(?:first|then|next|after|afterwards|finally|lastly|also|in addition|additionally)\b/i

/** A fenced block is a step as it stands; for other lines see `readLine`. `isNew`: nothing is there yet, so a first sentence is the goal. */
export function readPrompt(prompt: string, isNew: boolean): PromptParts {
  const parts: PromptParts = { goal: [], steps: [], notes: [] }
  let section: Section = 'free'
  for (const { lines, isBlock } of piecesOf(prompt)) {
    if (isBlock) parts.steps.push(lines.join('\n'))
    else for (const line of unbroken(lines)) section = readLine(line, section, parts, isNew)
  }
  return parts
}

interface Piece {
  lines: string[]
  isBlock: boolean
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [{ lines: [], isBlock: false }]
  let isEnd: ((line: string) => boolean) | undefined
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (isEnd) {
      pieces.at(-1)!.lines.push(line)
      if (!isEnd(line)) continue
      isEnd = undefined
      pieces.push({ lines: [], isBlock: false })
    } else {
      isEnd = endOfBlock(line)
      if (isEnd) pieces.push({ lines: [line], isBlock: true })
      else pieces.at(-1)!.lines.push(line)
    }
  }
  return pieces
}

/** Labels and headings say where what follows belongs; items and sentences go there, or where their first words lead. */
function readLine(line: string, section: Section, parts: PromptParts, isNew: boolean): Section {
  const text = line.trim()
  if (text === '') return section
  const [, isGoal, isFinish, isSteps, isNotes, rest = ''] = label.exec(text) ?? []
  if (isGoal ?? isFinish ?? isSteps ?? isNotes) {
    if (isFinish) {
      if (rest !== '') parts.steps.push(text.replace(/^#+\s+/, ''))
      return 'steps'
    }
    const named: Section = isGoal ? 'goal' : isNotes ? 'notes' : 'steps'
    for (const sentence of sentencesOf(rest)) parts[named].push(sentence)
    // a label with text after it applies to that text; alone on its line it applies to what follows
    return rest === '' ? named : section
  }
  const listed = item.exec(text)?.[1]
  if (listed !== undefined) {
    if (listed.trim() !== '')
      parts[section === 'free' ? (noteStart.test(listed) ? 'notes' : 'steps') : section].push(listed.trim())
    return section
  }
  for (const sentence of sentencesOf(title.exec(text)?.[1] ?? text)) {
    parts[section === 'free' ? placeOf(sentence, parts, isNew) : section].push(sentence)
  }
  return section
}

function placeOf(sentence: string, { goal, steps }: PromptParts, isNew: boolean): keyof PromptParts {
  if (noteStart.test(sentence)) return 'notes'
  const isFirst = goal.length === 0 && steps.length === 0
  return isNew && isFirst && !stepStart.test(sentence) && sentence.split(/\s+/).length >= 2 ? 'goal' : 'steps'
}

/** Joins lines that a person broke only because they were long: the next one continues in lower case. */
function unbroken(given: string[]): string[] {
  const lines: string[][] = []
  let last = ''
  for (const line of given) {
    const goesOn = /[\p{L}\p{N},;)]/u.test(last.at(-1) ?? '') && /^\s*\p{Ll}/u.test(line) && !item.test(line)
    if (goesOn) lines.at(-1)!.push(line.trim())
    else lines.push([line.trimEnd()])
    last = line.trimEnd()
  }
  return lines.map((pieces) => pieces.join(' '))
}

/** Made when it is first needed: it takes 20 ms, which would delay every start. */
let segmenter: Intl.Segmenter | undefined

function sentencesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' })
  const segments = [...segmenter.segment(text)].map(({ segment }) => segment.trim())
  return segments.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

export const doneWhen = (finish: string): string =>
  `Done when: ${finish.trim().replace(/^(?:it is )?(?:done )?when\s+/i, '')}`

const finish =
  /\b(?:done|finished|completed?|ends?|ended|stops?|over)(?: when| once| if| as soon as| after|:)|\b(?:until|finally|lastly|in the end|at the end)\b|\b(?:outputs?|outcome|result|deliver|return|report|reply|respond|answer)\b|^(?:`{3,}|~{3,})output\b/im

/** Whether a text says when the work is done or what it leaves. */
export const namesFinish = (text: string): boolean => finish.test(text)
