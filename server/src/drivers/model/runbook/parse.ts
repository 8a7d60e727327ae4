// Reads a procedure: its executable blocks, and everything that is wrong with them, each with its line.
import { ExpressionProblem, parseExpression, type Expression } from '../../../base/expression/expression.ts'
import type { Tell } from '../../../base/expression/holes.ts'
import { blockKinds, onErrorValues, readTemplate, type Block, type BlockKind, type Draft } from './block.ts'
import { openingOf, readFences, type Fence, type MissedFence } from './fences.ts'
import { durationHint, readDuration } from './durations.ts'
import { kinds } from './kinds.ts'
import { createFixer, misspelt, type WordFix } from './misspelling.ts'
import { runbookRoots } from './scope.ts'
import { readWords } from './blockOptions.ts'
import { mayHoldSecrets, secretProblem } from './secretHoles.ts'
import type { TextKind } from './template.ts'

export type { Block } from './block.ts'

export interface RunbookProblem {
  line: number
  message: string
  /** Where one word is wrong: which, and what was most likely meant. */
  fix?: WordFix
}

interface ReadBlock extends Omit<Block, 'id' | 'reads' | 'readsMemory'> {
  givenId: string | undefined
  /** Every expression that it reads, also its condition. */
  evaluated: { expression: Expression; line: number }[]
}

/** A value in one of these stays what it is; in all other texts it becomes text. */
const placesOfValues = new Set<TextKind>(['js', 'json_text', 'json_value', 'python', 'value'])

/** How many problems are reported. Nobody reads more, and finding all of them in a large text that is not a procedure takes long. */
const problemsMax = 100

/** How many other blocks are compared with the names of steps, and how many earlier steps with the name of one that is missing. */
const comparedMax = 300

class TooManyProblems extends Error {}

interface ParsedProcedure {
  /** They can be run only if there is no problem. */
  blocks: Block[]
  problems: RunbookProblem[]
  /** What may not be meant as it stands, though it can be run. */
  warnings: RunbookProblem[]
}

export function parseRunbook(markdown: string): ParsedProcedure {
  const problems: RunbookProblem[] = []
  const warnings: RunbookProblem[] = []
  const fixer = createFixer(markdown)
  const tell: Tell = (line, message, misspelling) => {
    if (problems.push({ line, message, ...fixer(line, misspelling) }) >= problemsMax) throw new TooManyProblems()
  }
  const warn: Tell = (line, message, misspelling) => {
    if (warnings.length < problemsMax) warnings.push({ line, message, ...fixer(line, misspelling) })
  }
  let blocks: Block[] = []
  try {
    blocks = readBlocks(markdown, tell, warn)
  } catch (error) {
    if (!(error instanceof TooManyProblems)) throw error
  }
  return { blocks, problems: problems.sort((one, other) => one.line - other.line), warnings }
}

function readBlocks(markdown: string, tell: Tell, warn: Tell): Block[] {
  const { fences, missed } = readFences(markdown)
  for (const fence of missed) tellMissed(fence, tell)
  const read: ReadBlock[] = []
  let others = 0
  for (const fence of fences) {
    const kind = kindOf(fence.info)
    if (kind) read.push(readBlock(fence, kind, tell))
    else {
      if (!fence.isClosed) tellSwallowed(fence, tell)
      others += 1
      if (others <= comparedMax) warnMisspelt(fence, warn)
    }
  }
  const blocks = withIds(read, tell)
  checkReferences(read, blocks, tell)
  checkOutputs(blocks, tell)
  return blocks
}

function kindOf(info: string): BlockKind | undefined {
  const word = /^\S*/.exec(info)![0]
  return blockKinds.find((kind) => kind === word)
}

/** Languages of code in Markdown that are spelled nearly like a block and hardly ever meant as one. */
const otherLanguages = new Set(['dash', 'haml', 'htm', 'toml', 'xhtml'])

/** A block that is nearly called like a step would silently not run. A short name counts only with an option of blocks after it. */
function warnMisspelt({ info, line }: Fence, warn: Tell): void {
  const word = /^\S*/.exec(info)![0]
  const misspelling = misspelt(word, blockKinds)
  if (!misspelling || otherLanguages.has(word)) return
  const hasOption = /\s(?:id|if|on_error|retry)=/.test(info)
  if (!hasOption && (misspelling.meant.length < 4 || word.length < 4)) return
  const says = `This block is not a step: there is no block ${JSON.stringify(word)}. Did you mean ${misspelling.meant}?`
  warn(line, says, misspelling)
}

const missedBecause: Record<MissedFence['why'], string> = {
  indented: 'it is indented by more than three spaces. Move it to the left',
  backtick: 'a line that opens a block with backticks cannot hold another backtick. Use ~~~ for this block',
  comment: 'the comment <!-- above is never closed. Close it with -->',
}

function tellMissed({ line, info, why }: MissedFence, tell: Tell): void {
  const kind = kindOf(info)
  if (kind) tell(line, `This ${kind} block would not run: ${missedBecause[why]}.`)
}

/** A block in another language that never ends takes the steps below it with it. */
function tellSwallowed({ body, line }: Fence, tell: Tell): void {
  for (const [index, text] of body.split('\n').entries()) {
    const kind = kindOf(openingOf(text)?.info ?? '')
    if (kind)
      return tell(
        line,
        `This block is never closed, and the ${kind} block in line ${line + 1 + index} would not run. Close it.`,
      )
  }
}

const infoMax = 5000

function readBlock(fence: Fence, kind: BlockKind, tell: Tell): ReadBlock {
  const { line, body } = fence
  if (fence.info.length > infoMax) tell(line, `The line that opens this block is longer than ${infoMax} characters.`)
  const { attributes, bare, problems } = readWords(fence.info.slice(kind.length, infoMax))
  for (const message of problems) tell(line, message)
  if (!fence.isClosed) tell(line, `This ${kind} block is never closed. Add a line with its closing fence.`)
  if (kind !== 'case')
    for (const word of bare)
      tell(line, `${JSON.stringify(word.slice(0, 40))} means nothing here. ${attributesOf(kind)}`)
  for (const [name, value] of attributes) {
    const option = Object.hasOwn(kinds[kind].options, name) ? kinds[kind].options[name] : undefined
    if (!option)
      tell(
        line,
        `A ${kind} block has no ${name}=. ${attributesOf(kind)}`,
        misspelt(name, Object.keys(kinds[kind].options), { after: [' ', '\t'], end: '=' }),
      )
    else if (!option.mayHoldValues && value.includes('{{')) tell(line, `${name}= cannot hold {{ }}. Write it out.`)
    else if (option.values && !option.values.includes(value))
      tell(
        line,
        `${name}=${value.slice(0, 40)} is not known here. Use ${oneOfThese(option.values)}.`,
        misspelt(value, option.values, { after: [`${name}=`, `${name}="`] }),
      )
  }
  const evaluated: ReadBlock['evaluated'] = []
  const expressions: Block['expressions'] = []
  const condition = readCondition(attributes.get('if'), line, tell)
  if (condition) evaluated.push({ expression: condition, line })
  tellSecret(condition, kind, undefined, line, tell)
  const draft: Draft = {
    kind,
    line,
    body,
    attributes,
    words: bare,
    tell,
    timeoutS: readTimeout(attributes.get('timeout'), line, tell),
    template(text, first, place, what = 'text') {
      const template = readTemplate(text, first, place, what, tell)
      const isOneValue = template.holes.length === 1 && template.literals.every((literal) => literal.trim() === '')
      for (const { expression, line: at, part } of template.holes) {
        if (!expression) continue
        tellSecret(expression, kind, template.place, at, tell)
        evaluated.push({ expression, line: at })
        const isText = part === 'json_string' || !(isOneValue || placesOfValues.has(template.place))
        expressions.push({ expression, isText })
      }
      return mayHoldSecrets(kind) ? { ...template, mayHoldSecrets: true } : template
    },
  }
  const onError = onErrorValues.find((value) => value === attributes.get('on_error')) ?? 'fail'
  const retry = readRetry(attributes.get('retry'), line, tell)
  return {
    kind,
    line,
    condition,
    onError,
    retry,
    givenId: attributes.get('id'),
    evaluated,
    expressions,
    ...kinds[kind].read(draft),
  }
}

function tellSecret(
  expression: Expression | null,
  kind: BlockKind,
  place: TextKind | undefined,
  line: number,
  tell: Tell,
): void {
  const problem = expression && secretProblem(expression, kind, place)
  if (problem) tell(line, problem)
}

/** The ids of the steps that it reads. */
const stepsOf = ({ reads }: Expression): string[] => [...(reads.get('steps') ?? [])]

const attributesOf = (kind: BlockKind): string =>
  `A ${kind} block takes ${Object.keys(kinds[kind].options)
    .map((name) => `${name}=`)
    .join(', ')}.`

const oneOfThese = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

function readCondition(source: string | undefined, line: number, tell: Tell): Expression | null {
  if (source === undefined) return null
  try {
    return parseExpression(source, runbookRoots)
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error
    const hint = source.includes('{{') ? ' Write the expression without {{ }}.' : ''
    const misspelling = error.misspellingAfter('if="', source)
    tell(line, `if="${source.slice(0, 60)}" cannot be read: ${error.message}${hint}`, misspelling)
    return null
  }
}

function readTimeout(text: string | undefined, line: number, tell: Tell): number | undefined {
  if (text === undefined) return undefined
  const seconds = readDuration(text)
  if (seconds === undefined || seconds < 1)
    tell(line, `timeout=${text.slice(0, 40)} is not a duration of a second or more. ${durationHint}`)
  return seconds
}

function readRetry(text: string | undefined, line: number, tell: Tell): number {
  if (text === undefined) return 0
  if (/^(?:\d|10)$/.test(text)) return Number(text)
  tell(line, `retry=${text.slice(0, 40)} is not a whole number from 0 to 10.`)
  return 0
}

function withIds(read: ReadBlock[], tell: Tell): Block[] {
  const given = new Map<string, ReadBlock>()
  for (const block of read) {
    const { givenId, line } = block
    if (givenId === undefined) continue
    const first = given.get(givenId)
    if (first) tell(line, `The id ${givenId} is taken by the block in line ${first.line}. Choose another.`)
    else if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(givenId)) {
      tell(
        line,
        `id=${givenId.slice(0, 40)} is not possible. Use up to 64 letters, digits, _ and -, beginning with a letter.`,
      )
    } else given.set(givenId, block)
  }
  return read.map((block, index) => {
    const { givenId, evaluated, ...rest } = block
    const isOwn = givenId !== undefined && given.get(givenId) === block
    const reads = [...new Set(evaluated.flatMap(({ expression }) => stepsOf(expression)))]
    const readsMemory = evaluated.some(({ expression }) => expression.reads.has('memory'))
    return { ...rest, id: isOwn ? givenId : defaultId(index + 1, given), reads, readsMemory }
  })
}

/** `step_3`, or with as many underscores more as it takes to differ from the given ones. */
function defaultId(number: number, given: Map<string, ReadBlock>): string {
  let id = `step_${number}`
  while (given.has(id)) id += '_'
  return id
}

/** How the id of a step is written: in expressions, and in the expressions of a page. */
const ofStep = ['steps', 'data'].flatMap((root) => [`${root}.`, `${root}["`, `${root}['`])

function checkReferences(read: ReadBlock[], blocks: Block[], tell: Tell): void {
  const order = new Map(blocks.map(({ id }, index) => [id, index]))
  for (const [index, { evaluated }] of read.entries()) {
    for (const { expression, line } of evaluated) {
      for (const id of stepsOf(expression)) {
        const at = order.get(id)
        const shown = JSON.stringify(id.slice(0, 64))
        if (at === undefined) {
          const earlier = blocks.slice(Math.max(0, index - comparedMax), index).map((block) => block.id)
          const misspelling = misspelt(id, earlier, { after: ofStep })
          tell(line, `There is no step ${shown}. Give a block this id, or correct the name.`, misspelling)
        } else if (at >= index)
          tell(
            line,
            `The step ${shown} (line ${blocks[at]!.line}) does not come before this one, so it has no result here.`,
          )
      }
    }
  }
}

function checkOutputs(blocks: Block[], tell: Tell): void {
  const ending = blocks.findIndex(({ tool, condition }) => tool === null && condition === null)
  const next = ending === -1 ? undefined : blocks[ending + 1]
  if (next) {
    tell(
      blocks[ending]!.line,
      `An output without if= ends the run, so the block in line ${next.line} would never run. Put it last, or give it if="…".`,
    )
  }
}
