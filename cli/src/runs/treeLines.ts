// The tree of a run as lines of a screen: one for each step, the oldest folded where there is not enough room.
import { cutTo, widthOf } from '../screenWidth.ts'
import { elapsedText } from '../times.ts'
import type { Row, RunTree } from './runTree.ts'

export type Colour = 'green' | 'red' | 'grey' | 'cyan'

export interface Drawing {
  width: number
  /** The time on the clock of the service. */
  now: number
  spinner: string
  paint: (text: string, colour: Colour) => string
}

/** One step with what stands below it. */
interface Entry {
  isOpen: boolean
  /** How many steps are hidden with it. */
  steps: number
  line: (prefix: string) => string
  notes: string[]
  below: Entry[]
}

const tookWidth = 7
/** How wide a line is at most: on a wide screen the time must not stand far from its step. */
const lineWidthMax = 100
/** How many lines a sentence may take. */
const noteLinesMax = 2
/** How many lines of an open sub-run are shown in any case: the fold, and what it does now. */
const belowMin = 2

/** What happens in a run, from one of its rows on. */
export function treeLines(tree: RunTree, from: number, room: number, drawing: Drawing): string[] {
  return fitting(entriesOf(tree, from, drawing), room, drawing)
}

/** Some of its rows, for good. */
export const rowLines = (rows: readonly Row[], room: number, drawing: Drawing): string[] =>
  fitting(
    rows.map((row) => entryOf(row, drawing)),
    room,
    drawing,
  )

function fitting(entries: Entry[], room: number, drawing: Drawing): string[] {
  const lines = linesOf(entries, undefined, room, drawing)
  if (lines.length <= room) return lines
  const more = lines.length - room + 1
  return [...lines.slice(0, room - 1), drawing.paint(`… ${more} lines more`, 'grey')]
}

function entriesOf(tree: RunTree, from: number, drawing: Drawing): Entry[] {
  const entries = tree.rows.slice(from).map((row) => entryOf(row, drawing))
  if (tree.isBetweenCalls) entries.push(underWay(tree, drawing))
  const waiting = entries.findLast(({ isOpen }) => isOpen)
  // a sub-run says itself what it does
  if (waiting && waiting.below.length === 0 && tree.why !== undefined) waiting.notes.push(tree.why)
  return entries
}

const marks: Record<Exclude<Row['state'], 'open'>, [string, Colour]> = {
  done: ['✓', 'green'],
  failed: ['✗', 'red'],
  cut: ['–', 'grey'],
}

function entryOf(row: Row, drawing: Drawing): Entry {
  const { name, about, state, startedAt, tookMs, error, subRun } = row
  const [mark, colour] = state === 'open' ? ([drawing.spinner, 'cyan'] as const) : marks[state]
  const took = tookMs ?? (state === 'open' ? drawing.now - startedAt : undefined)
  const below = subRun ? entriesOf(subRun, 0, drawing) : []
  return {
    isOpen: state === 'open',
    steps: 1 + below.reduce((sum, { steps }) => sum + steps, 0),
    line: (prefix) => stepLine({ prefix, mark: drawing.paint(mark, colour), name, about, took }, drawing),
    // the steps of a sub-run say themselves what went wrong
    notes: error === null || below.length > 0 ? [] : [error],
    below,
  }
}

/** What it does while no call is under way. */
function underWay(tree: RunTree, drawing: Drawing): Entry {
  const { state, hasModel, writes, thinksSince } = tree
  const name = state === 'pending' ? 'starts' : state === 'waiting' ? 'waits' : hasModel ? 'model' : 'works'
  const about = state === 'running' ? writes : ''
  const step = { mark: drawing.paint(drawing.spinner, 'cyan'), name, about, took: drawing.now - thinksSince }
  return {
    isOpen: true,
    steps: 1,
    line: (prefix) => stepLine({ ...step, prefix }, drawing),
    notes: [],
    below: [],
  }
}

interface Step {
  prefix: string
  mark: string
  name: string
  about: string
  took: number | undefined
}

/** The mark is one cell wide, and the last cell stays free: a full line could wrap. */
function stepLine({ prefix, mark, name, about, took }: Step, { width, paint }: Drawing): string {
  const room = Math.min(width - 1, lineWidthMax) - widthOf(prefix) - 2 - tookWidth
  const shownName = cutTo(name, room)
  const rest = room - widthOf(shownName) - 2
  const shownAbout = rest > 3 && about !== '' ? `  ${cutTo(about, rest)}` : ''
  const gap = ' '.repeat(Math.max(0, room - widthOf(shownName) - widthOf(shownAbout)))
  const time = took === undefined ? '' : `${gap}${elapsedText(took).padStart(tookWidth)}`
  return `${paint(prefix, 'grey')}${mark} ${shownName}${paint(shownAbout, 'grey')}${time}`
}

const sizeOf = ({ notes, below }: Entry): number => 1 + notes.length * noteLinesMax + sizesOf(below)
const sizesOf = (entries: Entry[]): number => entries.reduce((sum, entry) => sum + sizeOf(entry), 0)

/**
 * The finished ones are folded first, from the oldest on; then the steps of the runs below those that are open. `parent` is what
 * stands before the lines of a sub-run.
 */
function linesOf(entries: Entry[], parent: string | undefined, room: number, drawing: Drawing): string[] {
  const { shown, hidden, excess } = folded(entries, room)
  const fold = `${parent === undefined ? '' : `${parent}├ `}… ${hidden} ${hidden === 1 ? 'step' : 'steps'} before`
  const lines = hidden === 0 ? [] : [drawing.paint(fold, 'grey')]
  let over = excess
  for (const [index, entry] of shown.entries()) {
    const isLast = index === shown.length - 1
    const below = parent === undefined ? '  ' : `${parent}${isLast ? '  ' : '│ '}  `
    lines.push(entry.line(parent === undefined ? '' : `${parent}${isLast ? '└ ' : '├ '}`))
    for (const note of entry.notes) lines.push(...noteLines(note, below, drawing))
    const size = sizesOf(entry.below)
    const belowRoom = Math.max(Math.min(size, belowMin), size - over)
    over -= size - belowRoom
    lines.push(...linesOf(entry.below, below, belowRoom, drawing))
  }
  return lines
}

function folded(entries: Entry[], room: number): { shown: Entry[]; hidden: number; excess: number } {
  const shown = [...entries]
  let size = sizesOf(shown)
  let hidden = 0
  for (;;) {
    const excess = Math.max(0, size + Math.min(hidden, 1) - room)
    const index = shown.findIndex(({ isOpen }) => !isOpen)
    const [entry] = excess === 0 || index === -1 ? [] : shown.splice(index, 1)
    if (!entry) return { shown, hidden, excess }
    hidden += entry.steps
    size -= sizeOf(entry)
  }
}

function noteLines(text: string, prefix: string, { width, paint }: Drawing): string[] {
  const room = Math.max(10, Math.min(width - 1, lineWidthMax) - widthOf(prefix))
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    const joined = last === '' ? word : `${last} ${word}`
    if (widthOf(joined) <= room || last === '' || lines.length === noteLinesMax) lines[lines.length - 1] = joined
    else lines.push(word)
  }
  return lines.map((line) => paint(prefix + cutTo(line, room), 'grey'))
}
