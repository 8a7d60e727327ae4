// Before a turn that would not fit the model's window: old pictures are dropped, then old results shortened, then old turns folded into notes that
// the model writes as a step.
import { scrubbed } from '../../base/knownSecrets.ts'
import { storableText } from '../../base/storable.ts'
import type { Turn } from '../../drivers/model/model.ts'
import { addMessage, isCall, messageText, newChange, putStep, type ModelStep } from '../ledger/change.ts'
import { foldRequest, peopleIn, plainNotes } from './foldText.ts'
import { isFolded, type Folded } from './folded.ts'
import { commit, showView, type HeldRun } from './heldRun.ts'
import { planRoom, type Shortening, type View } from './modelView.ts'
import { newStep } from './planCalls.ts'
import { dropAtBounds, shownBytesMax, shownFiles, type StepFiles } from './shownFiles.ts'
import { askModel, usedBy, withUse, type Asked, type Asking } from './turn.ts'

/** What such a step is about, as it stands in the ledger: whoever takes the run over continues with the same turns. */
interface RoomStep {
  room: 'drop' | 'shorten' | 'fold'
  from_turn: number
  through_turn: number
  /** How many results of calls are shown shorter, or not any more. */
  results: number
  /** How many pictures and PDF files are not shown any more; a fold has them among its turns. */
  files?: number
  /** About how long the request was, and how long it may be. */
  tokens_before: number
  window: number
}

type Left =
  | { kind: 'fits' }
  /** Something was made shorter: look again. */
  | { kind: 'again' }
  /** The provider refused the request as too long, and nothing is left that could be shortened. */
  | { kind: 'stuck' }
  | Exclude<Asked, { kind: 'turn' | 'too_long' | 'files_refused' | 'moved' }>

interface RoomParts extends Omit<Asking, 'conversation' | 'about' | 'fileBytes' | 'turn' | 'worstCost' | 'onText'> {
  worstCost: (promptBytes: number) => string
}

export async function makeRoom(held: HeldRun, parts: RoomParts): Promise<Left> {
  const begun = held.open.find((step) => !isCall(step))
  if (isRoomStep(begun?.arguments)) return fold(held, parts, begun.arguments)
  // a turn that was begun is asked again as it was
  if (begun) return { kind: 'fits' }
  const { view, promptBytes, window, context, fixedBytes, sight } = held
  const atBounds = dropAtBounds(shownFiles(held.log, view, sight), shownBytesMax(context.config.runMemoryBytes))
  if (atBounds !== undefined) return drop(held, atBounds)
  const limitBytes = ((view.window ?? window) * view.bytesPerToken * context.config.foldAt) / 100
  if (promptBytes <= limitBytes) return { kind: 'fits' }
  const plan = planRoom(held.log, view, { fixedBytes, limitBytes, sight })
  if (plan.kind === 'drop') return drop(held, plan.dropped)
  if (plan.kind === 'shorten') return shorten(held, plan)
  if (plan.kind === 'fold') return fold(held, parts, stepOver(held, 'fold', plan.through))
  return { kind: held.refusal ? 'stuck' : 'fits' }
}

const isRoomStep = (given: unknown): given is RoomStep => typeof given === 'object' && given !== null && 'room' in given

export const tokensOf = (bytes: number, { bytesPerToken }: View): number => Math.ceil(bytes / bytesPerToken)

function stepOver(held: HeldRun, room: RoomStep['room'], through: number): RoomStep {
  const { log, view, promptBytes, window } = held
  const shown = log.filter((one) => one.turn <= through && !isFolded(one, view.folded))
  return {
    room,
    from_turn: (view.folded?.through ?? 0) + 1,
    through_turn: through,
    results: shown.filter(({ entry }) => entry.kind === 'result').length,
    tokens_before: tokensOf(promptBytes, view),
    window: view.window ?? window,
  }
}

/** How many files are not shown any more once those up to this step are dropped. */
const filesUpTo = ({ log, view, sight }: HeldRun, dropped: number): StepFiles[] =>
  shownFiles(log, view, sight).filter(({ step }) => step <= dropped)

const countOf = (files: StepFiles[]): number => files.reduce((sum, one) => sum + one.files.length, 0)

async function drop(held: HeldRun, dropped: number): Promise<Left> {
  const files = filesUpTo(held, dropped)
  const turns = files.map(({ turn }) => turn)
  const about = {
    ...stepOver(held, 'drop', Math.max(...turns)),
    from_turn: Math.min(...turns),
    results: 0,
    files: countOf(files),
  }
  return changeView(held, { ...held.view, dropped }, about)
}

async function shorten(
  held: HeldRun,
  { shortened, dropped }: { shortened: Shortening[]; dropped: number },
): Promise<Left> {
  const about = stepOver(held, 'shorten', Math.max(...shortened.map(({ through }) => through)))
  const files = countOf(filesUpTo(held, dropped))
  return changeView(held, { ...held.view, shortened, dropped }, { ...about, ...(files > 0 && { files }) })
}

/** A change of the view that needs nobody, as a step of its own. */
async function changeView(held: HeldRun, view: View, about: RoomStep): Promise<Left> {
  const step: ModelStep = { ...newStep(held, held.step + 1, undefined, held.modelName, about), kind: 'model' }
  await record(held, step, view, { words: wordsOf(held, view, about), notes: null })
  held.step = step.seq
  return { kind: 'again' }
}

/** How much of the window the notes may take, and people's own words beside them. */
const notesShare = 0.06
const notesTokens = (window: number): number => Math.min(6000, Math.max(300, Math.round(window * notesShare)))
/** About how many tokens of the request are neither the log nor the notes. */
const aroundTokens = 600

async function fold(held: HeldRun, parts: RoomParts, about: RoomStep): Promise<Left> {
  const { log, view, setup, window, run } = held
  const { folded: before, bytesPerToken } = view
  const through = about.through_turn
  const notesMax = notesTokens(view.window ?? window)
  // no tools: what is wanted is a text, and the tools take room
  const asked = { ...setup, tools: [], output_schema: null }
  const conversation = held.model.open(asked)
  const limitTokens = ((view.window ?? window) * held.context.config.foldAt) / 100
  const bytesMax = (limitTokens - 2 * notesMax - aroundTokens) * bytesPerToken - JSON.stringify(asked).length
  const request = foldRequest({ log, before, through, bytesMax, wordsMax: Math.round(notesMax * 0.6) })
  conversation.add({ kind: 'user', text: request, restarts: false })
  const answer = await askModel(held, {
    ...parts,
    conversation,
    about,
    fileBytes: 0,
    turn: held.turn,
    worstCost: () => parts.worstCost(request.length + JSON.stringify(asked).length),
    onText: () => undefined,
  })
  if (answer.kind === 'moved') return { kind: 'again' }
  if (answer.kind === 'later') return answer
  if (answer.kind === 'failed' && (!answer.step || endsRun.has(answer.code))) return answer
  if (!answer.step) throw new Error('the notes of a run have no step')
  const charsMax = Math.floor(notesMax * bytesPerToken)
  const written = answer.kind === 'turn' ? notesIn(answer.turn, charsMax) : undefined
  const folded: Folded = withoutHidden(held, {
    through,
    said: Math.max(before?.said ?? 0, ...log.filter(({ turn }) => turn <= through).map(({ seq }) => seq)),
    notes: written ?? plainNotes(log, before, through, charsMax),
    people: peopleIn({ log, before, through, charsMax, first: messageText(run.message) }),
  })
  const after: View = { ...view, folded, shortened: view.shortened.filter((one) => one.through > through) }
  const used = answer.kind === 'turn' ? usedBy(answer.turn.usage, parts.costOf) : undefined
  const step = used ? withUse(answer.step, used) : answer.step
  const error = answer.kind === 'turn' ? null : answer.message
  await record(held, { ...step, error }, after, { words: wordsOf(held, after, about), notes: folded.notes, used })
  return { kind: 'again' }
}

/** What people said when they started the run may hold a secret. */
const withoutHidden = ({ scrub }: HeldRun, folded: Folded): Folded => (scrub ? scrubbed(folded, scrub) : folded)

/** Without a provider, or without money, the next turn would end the same way. */
const endsRun = new Set(['limit_reached', 'model_unavailable', 'model_auth'])

function notesIn({ text, ending }: Turn, charsMax: number): string | undefined {
  if (ending.kind === 'failed' && ending.code !== 'output_truncated') return undefined
  return text?.trim() ? storableText(text.trim().slice(0, charsMax).toWellFormed()) : undefined
}

interface Words {
  /** For the messages of the run. */
  says: string
  /** For a line in a list of steps. */
  short: string
}

function wordsOf(
  held: HeldRun,
  view: View,
  { room, from_turn, through_turn, results, files = 0, tokens_before }: RoomStep,
): Words {
  const turns = from_turn === through_turn ? `turn ${from_turn}` : `turns ${from_turn} to ${through_turn}`
  const what = `${results} ${results === 1 ? 'result' : 'results'}`
  const seen = `${files} ${files === 1 ? 'picture or PDF' : 'pictures and PDF files'}`
  const done = {
    drop: `Left out ${seen} of ${turns}`,
    shorten: `Shortened ${what} of ${turns}${files > 0 ? ` and left out ${seen}` : ''}`,
    fold: `Folded ${turns} with ${what} into notes`,
  }[room]
  const [before, after] = [count(tokens_before), count(tokensOf(showView(held, view).bytes, view))]
  return {
    says: `${done}: about ${before} tokens before, ${after} after`,
    short: `${turns}, ${before} → ${after} tokens`,
  }
}

const count = (number: number): string => number.toLocaleString('en-US')

interface Made {
  words: Words
  notes: string | null
  used?: ReturnType<typeof usedBy> | undefined
}

/** One commit: the step with its result and its cost, and the record from which the next holder shows its model the same. */
async function record(held: HeldRun, step: ModelStep, view: View, { words, notes, used }: Made): Promise<void> {
  const change = newChange(held.run, held.turn)
  putStep(change, {
    ...step,
    state: step.error === null ? 'done' : 'failed',
    result: { says: words.says, notes },
    said: words.short,
    reserved_usd: '0',
    completed_at: new Date().toISOString(),
  })
  change.usage = { steps: 1, ...(used ?? { input_tokens: 0, output_tokens: 0, cost_usd: '0' }) }
  change.reserved_usd = '0'
  const text = notes === null ? `${words.says}.` : `${words.says}.\n\n${notes}`
  addMessage(change, { type: 'system', role: 'system', text_content: text, opaque: { view } })
  await commit(held, change)
  showView(held, view).open()
}
