// A run under way where nothing can be drawn: a line on stderr for each call that is done, and one for the whole.
import type { Run, RunStreamEvent } from '../../../sdk/src/index.ts'
import { harmless, type Output } from '../output.ts'
import { cutTo, padTo } from '../screenWidth.ts'
import { tookText } from '../times.ts'
import { usedTexts } from './usedText.ts'

const nameWidth = 30

export class StepLines {
  readonly #out: Output
  readonly #startedAt = Date.now()

  constructor(out: Output) {
    this.#out = out
  }

  take(event: RunStreamEvent): void {
    if (event.event !== 'run.tool_call.completed') return
    const { name, ok, error, duration_ms } = event.data
    this.#line(ok, name, `${tookText(duration_ms).padStart(6)}${error === null ? '' : `  ${error}`}`)
  }

  end({ status, usage }: Run): void {
    const took = tookText(Date.now() - this.#startedAt)
    this.#line(status === 'completed', status, [took, ...usedTexts({ usage })].join(' · '))
  }

  // nothing is drawn that a question could disturb
  pause(): void {}
  resume(): void {}
  close(): void {}

  #line(isGood: boolean, name: string, rest: string): void {
    const text = `${padTo(cutTo(harmless(name), nameWidth), nameWidth)}  ${harmless(rest)}`
    this.#out.note(`${isGood ? '✓' : '✗'} ${cutTo(text.trimEnd(), this.#out.width - 3)}`)
  }
}
