// What a run has done and does now, from its events: a row for each turn of the model and each call, with the runs that calls started below them.
import type { Message, RunLimits, RunStreamEvent, Usage } from '../../../sdk/src/index.ts'
import { harmless } from '../output.ts'

export interface Row {
  kind: 'turn' | 'call'
  /** The tool of a call. */
  name: string
  /** What the turn said, or what the call is about. */
  about: string
  state: 'open' | 'done' | 'failed' | 'cut'
  startedAt: number
  tookMs: number | undefined
  error: string | null
  subRun: RunTree | undefined
}

interface CallRow extends Row {
  /** The agent that it names, if it starts a run. */
  agent: unknown
}

const startsRuns = 'agents_run'

/** How much is kept of a text that a row shows. */
const shownMax = 200

export class RunTree {
  readonly id: string
  state: 'pending' | 'running' | 'waiting' | 'ended' = 'pending'
  startedAt: number
  waitsSince: number | undefined
  /** Why it waits, as `runs why` says it. */
  why: string | undefined
  usage: Usage | undefined
  limits: RunLimits | undefined
  /** Something happened since its figures were read. */
  isStale = true
  /** The end of what the model writes now. */
  writes = ''
  /** Since when it works on its next turn, when no call is under way. */
  thinksSince: number
  /** The turns of a runbook take no time and say nothing. */
  hasModel = false
  readonly #rows: Row[] = []
  readonly #open = new Map<string, CallRow>()
  #hasTurn = false
  #said = ''
  #lastStep = 0

  constructor(id: string, startedAt: number) {
    this.id = id
    this.startedAt = startedAt
    this.thinksSince = startedAt
  }

  get rows(): readonly Row[] {
    return this.hasModel ? this.#rows : this.#rows.filter(({ kind }) => kind === 'call')
  }

  get isBetweenCalls(): boolean {
    return this.state !== 'ended' && this.#open.size === 0
  }

  /** Runs that were started below it, at any depth. */
  *subRuns(): Generator<RunTree> {
    for (const { subRun } of this.#rows) {
      if (!subRun) continue
      yield subRun
      yield* subRun.subRuns()
    }
  }

  /** The calls that start a run which is not known yet, with the name or the id of its agent. */
  *withoutSubRun(): Generator<{ agent: unknown; attach: (subRun: RunTree) => void }> {
    for (const row of this.#open.values()) {
      if (row.name !== startsRuns || row.subRun) continue
      yield { agent: row.agent, attach: (subRun) => (row.subRun = subRun) }
    }
  }

  take(event: RunStreamEvent): void {
    if (event.event === 'delta') {
      this.hasModel = true
      const text = (this.writes + event.data.text).slice(-shownMax)
      // the last piece of a text may come after the whole
      this.writes = this.#said.endsWith(text) ? '' : text
      return
    }
    if (event.event === 'end') return
    const at = Date.parse(event.created_at)
    this.isStale = true
    if (this.state !== 'ended' && isWork(event)) {
      this.state = 'running'
      this.why = undefined
    }
    if (event.event === 'run.started') {
      this.startedAt = at
      this.thinksSince = at
    } else if (event.event === 'run.message.created') this.#hear(event.data.message, at)
    else if (event.event === 'run.tool_call.completed') this.#complete(event.data, at)
    else if (event.event === 'run.paused') {
      this.state = 'waiting'
      this.waitsSince = at
    } else if (event.event === 'run.completed' || event.event === 'run.failed') this.#end(event.data.usage)
  }

  #hear(message: Message, at: number): void {
    if (message.tool_call) return this.#call(message.tool_call, at)
    if (message.role !== 'assistant') return
    if (message.type === 'thinking') this.hasModel = true
    else this.#turn(message.text_content ?? '', at)
  }

  #turn(text: string, at: number): void {
    this.writes = ''
    this.#said = text
    this.#hasTurn = true
    this.#rows.push({
      kind: 'turn',
      name: 'model',
      about: shortText(text),
      state: 'done',
      startedAt: this.thinksSince,
      tookMs: at - this.thinksSince,
      error: null,
      subRun: undefined,
    })
  }

  #call({ id, name, arguments: given }: NonNullable<Message['tool_call']>, at: number): void {
    const step = Number(id.slice(id.lastIndexOf(':') + 1))
    // the turn of a model is a step too
    if (step > this.#lastStep + 1 && !this.#hasTurn) this.#turn('', at)
    if (step > this.#lastStep + 1) this.hasModel = true
    this.#lastStep = Math.max(this.#lastStep, step)
    const row: CallRow = {
      kind: 'call',
      agent: (given as { agent?: unknown } | null)?.agent,
      name: harmless(name),
      about: aboutOf(given),
      state: 'open',
      startedAt: at,
      tookMs: undefined,
      error: null,
      subRun: undefined,
    }
    this.#open.set(id, row)
    this.#rows.push(row)
  }

  #complete(
    {
      tool_call_id,
      ok,
      error,
      duration_ms,
    }: { tool_call_id: string; ok: boolean; error: string | null; duration_ms: number },
    at: number,
  ): void {
    const row = this.#open.get(tool_call_id)
    if (!row) return
    this.#open.delete(tool_call_id)
    row.state = ok ? 'done' : 'failed'
    row.tookMs = duration_ms
    row.error = error === null ? null : harmless(error)
    if (this.#open.size > 0) return
    this.thinksSince = at
    this.#hasTurn = false
  }

  #end(usage: Usage): void {
    this.state = 'ended'
    this.usage = usage
    this.isStale = false
    if (usage.steps > this.#lastStep && this.#hasTurn) this.hasModel = true
    for (const row of this.#open.values()) row.state = 'cut'
    this.#open.clear()
  }
}

/** Whether it shows that the run works: what it waited for has come then. A person may write or answer while it still waits. */
function isWork(event: RunStreamEvent): boolean {
  if (event.event === 'run.message.created') return event.data.message.role !== 'user'
  return event.event !== 'human_request.responded' && event.event !== 'human_request.created'
}

const shortText = (text: string): string => harmless(text.slice(0, shownMax)).trim()

/** The path, the URL, the question, the agent: texts as they are, numbers with their name. */
function aboutOf(given: unknown): string {
  if (typeof given !== 'object' || given === null) return ''
  const texts = Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'string' ? [value.slice(0, shownMax)] : typeof value === 'number' ? [`${name}: ${value}`] : [],
  )
  return shortText(texts.join('  '))
}
