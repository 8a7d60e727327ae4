// What a careful reader asks about seals that fit: why one was signed late, and which rows no signed seal holds.
import { readObject } from './boundedObject.ts'
import type { RunInManifest, Section } from './contents.ts'
import type { Problems } from './problems.ts'

const minuteMs = 60_000
/** A log is sealed about a second after its end. What takes longer than this is an outage of the service, or is to be asked about. */
const usualMs = 10 * minuteMs

/** When a row was written, by the clock of the database: the event, or the end of the step. */
export function timeOf(section: 'events' | 'steps', row: Buffer): number | undefined {
  const { at, started_at: startedAt, completed_at: completedAt } = readObject(row) ?? {}
  const time = section === 'events' ? at : Date.parse(String(completedAt ?? startedAt))
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined
}

export const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (b ?? a) : Math.max(a, b)

/** A sentence about a signature that was not made right after the last row that it holds. */
export function lateText(signedAt: number, lastAt: number | undefined): string | undefined {
  // of a log that was erased whole, nothing is left that could be false
  if (lastAt === undefined) return undefined
  const late = signedAt - lastAt
  if (Math.abs(late) <= usualMs) return undefined
  return (
    `It was signed ${durationText(Math.abs(late))} ${late > 0 ? 'after' : 'before'} the last row that it holds. About a second is usual: ` +
    'the service was away, or the log was rewritten in its database and sealed again.'
  )
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / minuteMs)
  if (minutes < 120) return `${minutes} minutes`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 60 / 24)} days`
}

interface Held {
  /** Whether there is a signed seal. */
  isSigned: boolean
  events: number
  steps: number
  /** The first row of messages that is not held. */
  firstMessage: number
}

const noSeal = 'There is no signed seal: what was changed in the database before this bundle was made is not found.'

/** Whoever deletes a seal in the database leaves a bundle that fits: so it is said what nothing holds. */
export function remarkUnsealed(
  { folder }: RunInManifest,
  remarks: Problems,
  held: Held,
  unsealed: Record<Section, number>,
): void {
  const first = { events: held.events + 1, steps: held.steps + 1, messages: held.firstMessage }
  if (!held.isSigned) {
    remarks.add(`${folder}seals.jsonl`, noSeal)
    return
  }
  for (const section of ['events', 'steps', 'messages'] as const) {
    const count = unsealed[section]
    const these = count === 1 ? 'this row' : `this row and ${count - 1} others`
    if (count > 0) remarks.add(`${folder}${section}.jsonl row ${first[section]}`, `No signed seal holds ${these}.`)
  }
}
