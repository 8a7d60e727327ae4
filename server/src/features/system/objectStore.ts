// The object store as the whole installation sees it: whether it answers, and what failed last in any process.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { storesOf } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { nullable, Time, Type } from '../../kit/schema.ts'
import { readStoreState, type StoreState } from '../../kit/storeState.ts'

export const ObjectStoreState = nullable(
  Type.Object(
    {
      name: Type.String({ examples: ['s3://files/runyard'] }),
      is_answering: nullable(
        Type.Boolean({ description: 'Whether it answered whoever asked last; null: nobody has an answer yet.' }),
      ),
      answered_at: nullable(Time),
      last_failure: nullable(
        Type.Object(
          { at: Time, says: Type.String() },
          { description: 'The last request in any living process that got no answer, or a refusal.' },
        ),
      ),
    },
    { description: 'The store of `RUNYARD_BLOBS`; null where files are in the database.' },
  ),
)

/** A look at the state asks the store itself if nobody in this process has lately: the page is looked at again and again. */
const askAgainMs = 30_000
/** How long a look waits for the store; its answer is part of the next look otherwise. */
const patienceMs = 2000

/** `reported`: what the other processes said about it. */
export async function readObjectStore(context: Context, reported: (StoreState | null | undefined)[]) {
  const { current } = storesOf(context)
  if (!current) return null
  const ours = readStoreState(context)
  if (ageOf(context, ours) > askAgainMs) {
    // there is no such object, and the store says so; whatever it says is noted
    const asked = current.size(`probe-${randomUUID()}`).catch(() => undefined)
    await Promise.race([asked, sleep(patienceMs, undefined, { ref: false })])
  }
  const known = [readStoreState(context), ...reported].filter((one) => one !== null && one !== undefined)
  const last = newest(known, (one) => lastAsked(one))
  const failed = newest(known, ({ failed_at }) => failed_at)
  return {
    name: current.name,
    is_answering: last?.is_answering ?? null,
    answered_at: newest(known, ({ answered_at }) => answered_at)?.answered_at ?? null,
    last_failure: failed?.failed_at && failed.failure !== null ? { at: failed.failed_at, says: failed.failure } : null,
  }
}

/** Times in this form are in order as texts. */
const lastAsked = ({ answered_at, failed_at }: StoreState): string | null =>
  (answered_at ?? '') > (failed_at ?? '') ? answered_at : failed_at

function newest(states: StoreState[], timeOf: (state: StoreState) => string | null): StoreState | undefined {
  const [first] = states
    .filter((one) => timeOf(one) !== null)
    .toSorted((a, b) => ((timeOf(a) ?? '') < (timeOf(b) ?? '') ? 1 : -1))
  return first
}

function ageOf({ clock }: Context, state: StoreState | null): number {
  const at = state && lastAsked(state)
  return at === null ? Infinity : clock.now().getTime() - Date.parse(at)
}
