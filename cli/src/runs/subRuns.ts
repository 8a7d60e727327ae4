// Follows the runs that a run starts, and reads what each of them has used and waits for.
import { RunyardError, type HumanRequest, type RunStreamEvent, type Runyard } from '../../../sdk/src/index.ts'
import { harmless } from '../output.ts'
import { RunTree } from './runTree.ts'

/** How often the figures of a run are read at most, while it does something. */
const figuresMs = 1000
/** How often it is asked why a run waits: when it has waited for long, its sentence changes slowly. */
const whyMs = { least: 1000, most: 30_000, share: 0.05 }
/** How many sub-runs are followed at once. */
const followedMax = 8
/** How long the last events of sub-runs may take when the run itself has ended. */
const lastEventsMs = 500

interface Following {
  runyard: Runyard
  tree: RunTree
  signal: AbortSignal
  heard: (event: RunStreamEvent) => void
  /** A sub-run asks a person. */
  onRequest: (request: HumanRequest) => Promise<void>
  /** What went wrong here, other than with the service. */
  failed: (error: unknown) => void
}

export class SubRuns {
  readonly #following: Following
  readonly #stopping = new AbortController()
  readonly #signal: AbortSignal
  readonly #timer: ReturnType<typeof setInterval>
  /** When it is asked next why each of them waits. */
  readonly #whyAt = new WeakMap<RunTree, number>()
  readonly #waiting: RunTree[] = []
  readonly #followed = new Set<Promise<void>>()

  constructor(following: Following) {
    this.#following = following
    this.#signal = AbortSignal.any([following.signal, this.#stopping.signal])
    this.#timer = setInterval(() => this.#readAll(), figuresMs)
  }

  /** Takes an event of the run, or of one below it. */
  take(event: RunStreamEvent, tree: RunTree): void {
    tree.take(event)
    this.#following.heard(event)
    if (event.event !== 'run.paused') return
    const { kind, detail } = event.data.waiting_on
    if (kind === 'sub_run') void this.#found(tree, (detail as { run_id: string }).run_id)
  }

  /** When the run has ended: the streams of its sub-runs come to their end too. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    const late = new Promise((resolve) => setTimeout(resolve, lastEventsMs).unref())
    await Promise.race([Promise.all(this.#followed), late])
    this.close()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stopping.abort()
  }

  /** The event names one run. The calls of one turn may have started several, in the order of the calls. */
  async #found(tree: RunTree, runId: string): Promise<void> {
    const [call, ...others] = tree.withoutSubRun()
    if (call && others.length === 0) return call.attach(this.#follow(runId))
    if (!call) return
    await this.#quietly(async () => {
      const { runs } = this.#following.runyard
      const { run } = await runs.get(tree.id, this.#once)
      const { sub_runs } = await runs.getAgentRun(run.agent_id, run.id, this.#once)
      const known = new Set([...tree.subRuns()].map(({ id }) => id))
      const unknown = sub_runs.filter(({ id }) => !known.has(id))
      for (const { agent: wanted, attach } of tree.withoutSubRun()) {
        const index = unknown.findIndex(({ agent: { id, name } }) => id === wanted || name === wanted)
        const [found] = index === -1 ? [] : unknown.splice(index, 1)
        if (found) attach(this.#follow(found.id))
      }
    })
  }

  #follow(id: string): RunTree {
    const tree = new RunTree(id, Date.now())
    this.#waiting.push(tree)
    this.#followNext()
    return tree
  }

  #followNext(): void {
    const tree = this.#followed.size < followedMax ? this.#waiting.shift() : undefined
    if (!tree) return
    const followed = this.#quietly(async () => {
      for await (const event of this.#following.runyard.runs.events(tree.id, { signal: this.#signal })) {
        this.take(event, tree)
        if (event.event === 'human_request.created') await this.#following.onRequest(event.data.human_request)
      }
    }).finally(() => {
      this.#followed.delete(followed)
      this.#followNext()
    })
    this.#followed.add(followed)
  }

  #readAll(): void {
    for (const tree of [this.#following.tree, ...this.#following.tree.subRuns()]) {
      if (tree.state === 'ended') continue
      if (tree.isStale) void this.#readFigures(tree)
      if (tree.state === 'running') this.#whyAt.delete(tree)
      else void this.#readWhy(tree)
    }
  }

  async #readFigures(tree: RunTree): Promise<void> {
    tree.isStale = false
    let isRead = false
    await this.#quietly(async () => {
      const { run } = await this.#following.runyard.runs.get(tree.id, this.#once)
      isRead = true
      if (tree.state === 'ended') return
      tree.usage = run.usage
      tree.limits = run.limits
    })
    if (!isRead) tree.isStale = true
  }

  async #readWhy(tree: RunTree): Promise<void> {
    const now = Date.now()
    if (now < (this.#whyAt.get(tree) ?? 0)) return
    const waitedMs = now - (tree.waitsSince ?? now)
    this.#whyAt.set(tree, now + Math.min(whyMs.most, Math.max(whyMs.least, waitedMs * whyMs.share)))
    await this.#quietly(async () => {
      const { why, status } = await this.#following.runyard.runs.explain(tree.id, this.#once)
      if (status === tree.state) tree.why = harmless(why)
    })
  }

  get #once(): { signal: AbortSignal; maxRetries: number } {
    return { signal: this.#signal, maxRetries: 0 }
  }

  /** The view is better with it and right without it; what is wrong with the service is reported by the wait itself. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!this.#signal.aborted && !(error instanceof RunyardError)) this.#following.failed(error)
    }
  }
}
