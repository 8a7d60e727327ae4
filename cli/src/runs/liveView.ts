// The view of a run under way, on stderr: a line for each step that is done, and below them, drawn again, what it does now and what it has used.
import type { RunStreamEvent, Usage } from '../../../sdk/src/index.ts'
import { harmless, type Output } from '../output.ts'
import { cutTo, padTo } from '../screenWidth.ts'
import { tookText } from '../times.ts'
import { waitingText } from './eventLine.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** How often the spinner turns. */
const frameMs = 120
const colours = { green: 32, red: 31, grey: 90 } as const

export class LiveView {
  readonly #out: Output
  readonly #startedAt = Date.now()
  #now = { name: 'starts', since: Date.now() }
  #usage: Usage | undefined
  #drawn = 0
  #frame = 0
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(out: Output) {
    this.#out = out
    this.resume()
  }

  /** Draws again after something else used the screen. */
  resume(): void {
    if (!this.#out.isLive || this.#timer) return
    this.#timer = setInterval(() => this.#draw(), frameMs)
    this.#draw()
  }

  /** Leaves only the lines of the steps. */
  pause(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#erase()
  }

  used(usage: Usage): void {
    this.#usage = usage
  }

  take(event: RunStreamEvent): void {
    if (event.event === 'run.tool_call.completed') {
      const { name, ok, error, duration_ms } = event.data
      this.#step(ok, name, tookText(duration_ms), error)
      this.#does('thinks')
    } else if (event.event === 'run.message.created') {
      const { tool_call } = event.data.message
      this.#does(tool_call ? tool_call.name : 'thinks')
    } else if (event.event === 'run.paused') this.#does(`waits for ${waitingText(event.data.waiting_on.kind)}`)
    else if (event.event === 'run.started') this.#does('works')
  }

  /** One line for the whole. */
  end(status: string): void {
    this.pause()
    const isGood = status === 'completed'
    const took = tookText(Date.now() - this.#startedAt)
    this.#out.draw(`${this.#line(isGood, status, [took, ...this.#usedText()].join(' · '))}\n`)
  }

  #does(name: string): void {
    this.#now = { name: harmless(name), since: Date.now() }
  }

  #step(isGood: boolean, name: string, took: string, error: string | null): void {
    this.#erase()
    this.#out.draw(`${this.#line(isGood, name, `${took.padStart(6)}${error === null ? '' : `  ${error}`}`)}\n`)
    if (this.#timer) this.#draw()
  }

  #line(isGood: boolean, name: string, rest: string): string {
    const mark = this.#paint(isGood ? '✓' : '✗', isGood ? 'green' : 'red')
    return `${mark} ${this.#fit(`${padTo(cutTo(harmless(name), 30), 30)}  ${harmless(rest)}`)}`
  }

  /** Two cells are for the mark; a line that wraps could not be erased. */
  #fit(text: string): string {
    return cutTo(text.trimEnd(), this.#out.width - 3)
  }

  #usedText(): string[] {
    if (!this.#usage) return []
    const { steps, input_tokens, output_tokens, cost_usd } = this.#usage
    const tokens = input_tokens + output_tokens
    return [
      `${steps} ${steps === 1 ? 'step' : 'steps'}`,
      ...(tokens > 0 ? [`${tokens.toLocaleString('en')} tokens`, `$${cost_usd.toFixed(4)}`] : []),
    ]
  }

  #draw(): void {
    this.#erase()
    this.#frame = (this.#frame + 1) % frames.length
    const { name, since } = this.#now
    const took = tookText(Date.now() - since)
    const whole = [tookText(Date.now() - this.#startedAt), ...this.#usedText()].join(' · ')
    const lines = [
      `${frames[this.#frame]} ${this.#fit(`${padTo(cutTo(name, 30), 30)}  ${took.padStart(6)}`)}`,
      `  ${this.#paint(this.#fit(whole), 'grey')}`,
    ]
    this.#out.draw(lines.map((line) => `${line}\n`).join(''))
    this.#drawn = lines.length
  }

  #erase(): void {
    if (this.#drawn > 0) this.#out.draw(`\u001b[${this.#drawn}A\r\u001b[J`)
    this.#drawn = 0
  }

  #paint(text: string, colour: keyof typeof colours): string {
    return this.#out.isLive ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text
  }
}
