// A run in a terminal: its tree, what keeps the tree up to date, and what draws it.
import type { HumanRequest, Run, RunStreamEvent, Runyard } from '../../../sdk/src/index.ts'
import type { Output } from '../output.ts'
import { LiveView } from './liveView.ts'
import { RunTree } from './runTree.ts'
import { SubRuns } from './subRuns.ts'

interface Watching {
  out: Output
  runyard: Runyard
  runId: string
  signal: AbortSignal
  /** A run below this one asks a person. */
  onRequest: (request: HumanRequest) => Promise<void>
  failed: (error: unknown) => void
}

export class LiveRun {
  readonly #tree: RunTree
  readonly #view: LiveView
  readonly #subRuns: SubRuns

  constructor({ out, runyard, runId, signal, onRequest, failed }: Watching) {
    this.#tree = new RunTree(runId, Date.now())
    this.#view = new LiveView(out, this.#tree)
    const heard = (event: RunStreamEvent): void => {
      if ('created_at' in event) this.#view.heard(event.created_at)
    }
    this.#subRuns = new SubRuns({ runyard, tree: this.#tree, signal, heard, onRequest, failed })
  }

  take(event: RunStreamEvent): void {
    this.#subRuns.take(event, this.#tree)
  }

  pause(): void {
    this.#view.pause()
  }

  resume(): void {
    this.#view.resume()
  }

  async end({ status, usage, limits, created_at, started_at, completed_at }: Run): Promise<void> {
    await this.#subRuns.end()
    this.#tree.usage = usage
    this.#tree.limits = limits
    const endedAt = completed_at === null ? Date.now() : Date.parse(completed_at)
    this.#view.end(status, endedAt - Date.parse(started_at ?? created_at))
  }

  close(): void {
    this.#subRuns.close()
    this.#view.pause()
  }
}
