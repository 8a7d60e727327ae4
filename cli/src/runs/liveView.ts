// The view of a run under way in a terminal, on stderr: the tree of its steps, drawn again and again, and below it what it has used.
import type { Output } from '../output.ts'
import { cutTo, widthOf } from '../screenWidth.ts'
import { elapsedText } from '../times.ts'
import type { RunTree } from './runTree.ts'
import { rowLines, treeLines, type Colour, type Drawing } from './treeLines.ts'
import { usedTexts } from './usedText.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** How often the spinner turns. */
const frameMs = 120
/** How many lines stay free: for the figures, and for the line that the cursor is in. */
const keptLines = 3
const colours: Record<Colour, number> = { green: 32, red: 31, grey: 90, cyan: 36 }
const paint = (text: string, colour: Colour): string =>
  text === '' ? '' : `\u001b[${colours[colour]}m${text}\u001b[0m`
// oxlint-disable-next-line no-control-regex -- what paint adds
const unpainted = (text: string): string => text.replaceAll(/\u001b\[\d*m/g, '')

export class LiveView {
  readonly #out: Output
  readonly #tree: RunTree
  /** How far the clock of the service is behind the one here, with the shortest way that an event took. */
  #behindMs = Infinity
  #printed = 0
  #drawn: string[] = []
  #drawnWidth = 0
  #frame = 0
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(out: Output, tree: RunTree) {
    this.#out = out
    this.#tree = tree
    this.resume()
  }

  /** To be called for every event that comes. */
  heard(createdAt: string): void {
    this.#behindMs = Math.min(this.#behindMs, Date.now() - Date.parse(createdAt))
  }

  resume(): void {
    if (this.#timer) return
    this.#out.draw('\u001b[?25l')
    process.on('exit', this.#showCursor)
    this.#timer = setInterval(() => this.#draw(), frameMs)
    this.#draw()
  }

  /** Gives the screen to something else. The steps that are done stay on it. */
  pause(): void {
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#timer = undefined
    const { rows } = this.#tree
    const open = rows.findIndex(({ state }) => state === 'open')
    this.#keep(open === -1 ? rows.length : open)
    this.#showCursor()
    process.off('exit', this.#showCursor)
  }

  /** All of its steps, and one line for the whole. */
  end(status: string, tookMs: number): void {
    this.pause()
    this.#keep(this.#tree.rows.length)
    const [mark, colour] = status === 'completed' ? (['✓', 'green'] as const) : (['✗', 'red'] as const)
    this.#out.draw(`${paint(mark, colour)} ${status}  ${paint(this.#figures(tookMs), 'grey')}\n`)
  }

  /** Rows up to this one are no longer drawn again. */
  #keep(until: number): void {
    const { rows } = this.#tree
    const lines = rowLines(rows.slice(this.#printed, Math.max(until, this.#printed)), this.#room, this.#drawing())
    this.#show(lines)
    this.#printed = Math.max(until, this.#printed)
    this.#drawn = []
  }

  get #room(): number {
    return Math.max(3, this.#out.height - keptLines)
  }

  #drawing(): Drawing {
    const spinner = frames[this.#frame % frames.length] ?? ''
    const behindMs = this.#behindMs === Infinity ? 0 : this.#behindMs
    return { width: this.#out.width, now: Date.now() - behindMs, spinner, paint }
  }

  #figures(tookMs: number): string {
    const { usage, limits } = this.#tree
    const subRunsUsd = [...this.#tree.subRuns()].reduce((sum, one) => sum + (one.usage?.cost_usd ?? 0), 0)
    return [elapsedText(tookMs), ...usedTexts({ usage, limits, subRunsUsd })].join(' · ')
  }

  #draw(): void {
    this.#frame += 1
    const drawing = this.#drawing()
    const figures = cutTo(`  ${this.#figures(drawing.now - this.#tree.startedAt)}`, this.#out.width - 1)
    this.#show([...treeLines(this.#tree, this.#printed, this.#room, drawing), paint(figures, 'grey')])
  }

  /** One write with only what differs, so that nothing flickers. */
  #show(lines: string[]): void {
    const { width } = this.#out
    // a narrower terminal has wrapped what it shows
    const isAsDrawn = this.#drawnWidth <= width
    const height = this.#drawn.reduce((sum, line) => sum + (isAsDrawn ? 1 : wrappedLines(line, width)), 0)
    const texts = lines.map((line, index) => (isAsDrawn && this.#drawn[index] === line ? '\n' : `${line}\u001b[K\n`))
    this.#out.draw(
      `${height > 0 ? `\u001b[${height}A\r` : ''}${texts.join('')}${height > lines.length ? '\u001b[J' : ''}`,
    )
    this.#drawn = lines
    this.#drawnWidth = width
  }

  #showCursor = (): void => this.#out.draw('\u001b[?25h')
}

const wrappedLines = (line: string, width: number): number => Math.max(1, Math.ceil(widthOf(unpainted(line)) / width))
