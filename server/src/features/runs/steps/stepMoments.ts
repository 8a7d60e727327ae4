// The moments of a step in their order: its intent, its attempts, who was cut off, what a person was asked and decided, its end. Only what
// rows hold is told: a moment that nobody wrote down is left out.
import type { StepMoment } from '../../../engine/ledger/moments.ts'
import { callIdOf, notBegun, type StepState } from '../../../engine/ledger/change.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { requestTypes, type RequestType } from '../../../kit/states.ts'
import type { Tool } from '../../../kit/tool.ts'
import { cutReasons, Worker, type CutRow } from './step.ts'
import { answerOf, type Asked } from './stepDetail.ts'
import type { StepWait } from './stepWaits.ts'

const momentKinds = [
  'copied',
  'intent',
  'begun',
  'refused',
  'attempt',
  'trouble',
  'put_off',
  'cut',
  'in_doubt',
  'asked',
  'answered',
  'arrived',
  'result',
  'failed',
  'cut_off',
] as const

const Integer = Type.Integer({ minimum: 1 })

export const Moment = named(
  'StepMoment',
  Type.Object({
    kind: oneOf(momentKinds, {
      description:
        '`intent`: written before anything was sent. `begun`: a call that waits began to. `attempt`: another attempt began. `trouble`: a model ' +
        'did not answer. `put_off`: it could not be made yet. `cut`: the process lost the run. `in_doubt`: nobody knows whether it happened. ' +
        '`asked`, `answered`: by a person. `arrived`: the outcome of a process that had lost the run. `result`, `failed`, `cut_off`: its end. ' +
        '`refused`: it failed before it began. `copied`: it comes from the run that this one retries.',
    }),
    at: Time,
    says: Type.String({ description: 'The moment in a sentence.', examples: ['Written before anything was sent.'] }),
    attempt: Type.Optional(Integer),
    key: Type.Optional(
      Type.String({
        description: 'The Idempotency-Key that every attempt carries: run id and step, with a colon between them.',
      }),
    ),
    worker: Type.Optional(Worker),
    cut_reason: Type.Optional(oneOf(cutReasons)),
    human_request: Type.Optional(Type.Object({ id: Id, type: oneOf(requestTypes), title: Type.String() })),
    by: Type.Optional(
      Type.Object({ id: Id, name: nullable(Type.String()) }, { description: 'The person who decided.' }),
    ),
    comment: Type.Optional(Type.String({ description: 'What they wrote beside it.' })),
    from: Type.Optional(Type.Object({ run_id: Id, step: Integer })),
  }),
)
export type Moment = Static<typeof Moment>

export interface StepRequestDetail extends Asked {
  id: string
  type: RequestType
  title: string
  comment: string | null
  responded_by: string | null
  responder: string | null
  created_at: Date
  responded_at: Date | null
}

interface Momentous {
  run: { id: string; created_at: Date | string; retry_of_run_id: string | null }
  step: {
    seq: number
    kind: 'model' | 'tool' | 'human' | 'wait' | 'sub_run'
    tool: string | null
    state: StepState
    error: string | null
    started_at: Date
    completed_at: Date | null
    moments: StepMoment[] | null
    arrived_at: string | null
    is_copied: boolean
  }
  /** Undefined for a model, and for a tool that nobody knows any more. */
  tool: Tool | undefined
  requests: StepRequestDetail[]
  waits: StepWait[]
  cuts: CutRow[]
  /** The processes that are listed. */
  workers: Static<typeof Worker>[]
}

/** The first and the last are known to be that; between them the clocks of processes and of the database decide. */
export function momentsOf(about: Momentous): Moment[] {
  const { run, step } = about
  if (step.is_copied) {
    const says = 'Copied with its result from the run that this one retries. It was not made again.'
    const origin = run.retry_of_run_id
    return [{ kind: 'copied', at: run.created_at, says, ...(origin && { from: { run_id: origin, step: step.seq } }) }]
  }
  const between = [
    ...notedMoments(about),
    ...cutMoments(about),
    ...about.requests.flatMap((one) => askedMoments(about, one)),
  ]
  const arrived = step.arrived_at
  if (arrived) {
    const says = 'The process that had lost the run brought the outcome after all.'
    between.push({ kind: 'arrived', at: arrived, says })
  }
  const sorted = between.toSorted((one, other) => +new Date(one.at) - +new Date(other.at))
  const [beginning, ending] = [beginningOf(about), endingOf(about)]
  return beginning[0]?.kind === 'begun' ? [...sorted, ...beginning, ...ending] : [...beginning, ...sorted, ...ending]
}

/** A call that a person must approve first has no intent before that: its request comes first. */
function beginningOf({ run, step, tool, requests, waits }: Momentous): Moment[] {
  const at = step.started_at
  if (step.kind === 'model') return [{ kind: 'intent', at, says: 'Written before the model was asked.', attempt: 1 }]
  if (step.kind !== 'tool') {
    // a request to a person has a moment of its own
    const begun = waits.find(({ kind }) => kind !== 'human')
    return begun ? [{ kind: 'begun', at: begun.from, says: 'It began to wait.' }] : []
  }
  const isRefused = step.moments?.some(({ kind }) => kind === 'refused') ?? false
  const isHeldBack = requests[0]?.type === 'approval'
  if (isRefused || isHeldBack || isInside(tool) || endedAtOnce(step)) return []
  return [
    { kind: 'intent', at, says: 'Written before anything was sent.', attempt: 1, key: callIdOf(run.id, step.seq) },
  ]
}

const isInside = (tool: Tool | undefined): boolean => tool?.kind === 'inside'

/** No intent is written for a call that is refused; of old steps only the time tells that. */
const endedAtOnce = ({ state, started_at, completed_at }: Momentous['step']): boolean =>
  state === 'failed' && completed_at !== null && +completed_at - +started_at <= 1

function notedMoments({ run, step, workers, cuts }: Momentous): Moment[] {
  return (step.moments ?? []).map((noted): Moment => {
    const { at } = noted
    switch (noted.kind) {
      case 'attempt': {
        const known = workers.find(({ id }) => id === noted.worker) ?? cutWorker(cuts, noted.worker)
        return {
          kind: 'attempt',
          at,
          says: `Attempt ${noted.attempt} began; its intent was written before.`,
          attempt: noted.attempt,
          ...(step.kind !== 'model' && { key: callIdOf(run.id, step.seq) }),
          worker: known ?? { id: noted.worker, host: null, pid: null },
        }
      }
      case 'trouble': {
        const again = noted.again_at === null ? 'It is not asked again.' : `It is asked again at ${noted.again_at}.`
        return { kind: 'trouble', at, says: `${sentence(noted.error)} ${again}`, attempt: noted.attempt }
      }
      case 'put_off': {
        const says = `It could not be made yet and did not happen: the run waits for a ${noted.waits_for.replace('_', '-')}.`
        // one that waited from the beginning has had no attempt yet
        return { kind: 'put_off', at, says, ...(noted.attempt !== notBegun && { attempt: noted.attempt }) }
      }
      case 'refused':
        return { kind: 'refused', at, says: 'It was refused before it began: nothing was sent.' }
      default:
        return noted satisfies never
    }
  })
}

const cutWorker = (cuts: CutRow[], id: string): Static<typeof Worker> | undefined => {
  const cut = cuts.find(({ worker }) => worker === id)
  return cut && { id, host: cut.host, pid: cut.pid }
}

const lost: Record<CutRow['reason'], string> = {
  died: 'The process died',
  left: 'The process was gone',
  gave_back: 'The process stopped or could not continue',
}

/** The first process that lost the run after an attempt began is the one that made it; later ones did not come to make another. */
function cutMoments({ step, cuts }: Momentous): Moment[] {
  const seen = new Set<number>()
  return cuts.flatMap(({ at, reason, worker, host, pid, steps }): Moment[] => {
    const [, attempt] = steps.find(([seq]) => seq === step.seq) ?? []
    if (attempt === undefined) return []
    const isMaker = !seen.has(attempt)
    seen.add(attempt)
    if (attempt === notBegun) return []
    const says = isMaker
      ? `${lost[reason]} during attempt ${attempt}; no outcome was stored.`
      : `${lost[reason]} before it could make another attempt.`
    return [{ kind: 'cut', at, says, attempt, worker: { id: worker, host, pid }, cut_reason: reason }]
  })
}

function askedMoments({ step }: Momentous, request: StepRequestDetail): Moment[] {
  const { id, type, title, created_at, responded_at, responded_by, responder, comment } = request
  const human_request = { id, type, title }
  const isDoubt = step.kind === 'tool' && type === 'question'
  const asked: Moment = isDoubt
    ? {
        kind: 'in_doubt',
        at: created_at,
        says: 'It may or may not have happened and may not be repeated silently, so a person was asked.',
        human_request,
      }
    : { kind: 'asked', at: created_at, says: `A person was asked: ${title}`, human_request }
  const answer = answerOf(request)
  if (responded_at === null || answer === null) return [asked]
  return [
    asked,
    {
      kind: 'answered',
      at: responded_at,
      says: sentence(answer),
      human_request,
      ...(responded_by && { by: { id: responded_by, name: responder } }),
      ...(comment !== null && { comment }),
    },
  ]
}

function endingOf({ step, tool }: Momentous): Moment[] {
  const { state, completed_at: at, error } = step
  if (at === null) return []
  if (state === 'done') {
    const says = isInside(tool)
      ? 'Effect and result were written together.'
      : 'The result was written. It will never be made again.'
    return [{ kind: 'result', at, says }]
  }
  if (state === 'failed') return [{ kind: 'failed', at, says: error === null ? 'It failed.' : sentence(error) }]
  if (state === 'cut_off') return [{ kind: 'cut_off', at, says: 'The run ended before its outcome was known.' }]
  return []
}

const sayLengthMax = 500

function sentence(text: string): string {
  const whole = text.trim().slice(0, sayLengthMax).toWellFormed()
  const begun = `${whole.charAt(0).toUpperCase()}${whole.slice(1)}`
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
