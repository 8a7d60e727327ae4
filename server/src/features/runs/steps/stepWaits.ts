// The waits of a step: for a person, a time, a connection or another run, each from when until when. A list of steps folds them.
import type { StepState } from '../../../engine/ledger/change.ts'
import type { StepMoment } from '../../../engine/ledger/moments.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'

export const StepWait = named(
  'StepWait',
  Type.Object({
    step: Type.Integer({ minimum: 1 }),
    kind: oneOf(['human', 'time', 'connection', 'sub_run']),
    from: Time,
    until: nullable(Type.Unsafe<Date | string>({ ...Time, description: 'Null: it still waits.' })),
    human_request_id: nullable(Id),
  }),
)
export type StepWait = Static<typeof StepWait>

interface Waiting {
  seq: number
  kind: 'model' | 'tool' | 'human' | 'wait' | 'sub_run'
  state: StepState
  /** The run that it started, if it is known. */
  sub_run_id: string | null
  started_at: Date
  completed_at: Date | null
  moments: StepMoment[] | null
}

interface Request {
  id: string
  created_at: Date
  responded_at: Date | null
}

/** In the order in which they began. A person is waited for from the question to the answer, however long the run then waits for a slot. */
export function waitsOf(step: Waiting, requests: Request[]): StepWait[] {
  const { seq, kind, started_at, completed_at } = step
  const wait = (
    waitsFor: StepWait['kind'],
    from: Date,
    until: Date | null,
    requestId: string | null = null,
  ): StepWait => ({
    step: seq,
    kind: waitsFor,
    from,
    until,
    human_request_id: requestId,
  })
  const forPeople = requests.map(({ id, created_at, responded_at }) => wait('human', created_at, responded_at, id))
  if (kind === 'wait' || kind === 'sub_run') {
    // one that found nothing to wait for has failed at once
    if (kind === 'wait' ? step.state === 'failed' : step.sub_run_id === null) return forPeople.filter(lasts)
    // an approval comes before the wait itself
    const allowed = requests.at(-1)
    const from = allowed ? allowed.responded_at : started_at
    const own = from === null ? [] : [wait(kind === 'wait' ? 'time' : 'sub_run', from, completed_at)]
    return [...forPeople, ...own].filter(lasts)
  }
  const between = (step.moments ?? []).flatMap((moment, index, all) => {
    if (moment.kind !== 'put_off' && moment.kind !== 'trouble') return []
    const from = new Date(moment.at)
    const next = all.slice(index + 1).find((one) => one.kind === 'attempt' || one.kind === 'trouble')
    if (moment.kind === 'put_off') return [wait(moment.waits_for, from, next ? new Date(next.at) : completed_at)]
    if (moment.again_at === null) return []
    // it was asked again in place, or by whoever took the run after the pause
    const until = next?.kind === 'attempt' ? next.at : moment.again_at
    return [wait('time', from, earlier(new Date(until), completed_at))]
  })
  const all = [...forPeople, ...between].filter(lasts)
  return all.toSorted((one, other) => +new Date(one.from) - +new Date(other.from))
}

const earlier = (one: Date, other: Date | null): Date => (other !== null && other < one ? other : one)

/** A call that was refused at once, or found what it needed, did not wait. */
const lasts = ({ from, until }: StepWait): boolean => until === null || +new Date(until) > +new Date(from)

/** How long a step has waited in all, up to `now`; null: never. Waits that overlap count once. */
export function waitedMs(waits: StepWait[], now: Date): number | null {
  if (waits.length === 0) return null
  let total = 0
  let end = -Infinity
  for (const { from, until } of waits) {
    const begin = Math.max(+new Date(from), end)
    end = Math.max(end, until === null ? +now : +new Date(until))
    total += Math.max(0, end - begin)
  }
  return total
}
