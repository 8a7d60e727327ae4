// The moments of a step in words and shapes.
import type { StepMoment, WholeRunStep } from '@runyard/sdk'

/** How a moment is drawn: begun, went wrong, in doubt, decided by a person, over, or none of these. */
export type MomentTone = 'open' | 'bad' | 'doubt' | 'person' | 'done'

const tones: Record<StepMoment['kind'], MomentTone> = {
  copied: 'done',
  intent: 'open',
  begun: 'open',
  refused: 'bad',
  attempt: 'open',
  trouble: 'bad',
  put_off: 'doubt',
  cut: 'bad',
  in_doubt: 'doubt',
  asked: 'doubt',
  answered: 'person',
  arrived: 'done',
  result: 'done',
  failed: 'bad',
  cut_off: 'bad',
}

export const toneOf = ({ kind }: StepMoment): MomentTone => tones[kind]

export function titleOfMoment({ kind, attempt, by, cut_reason: reason }: StepMoment): string {
  switch (kind) {
    case 'copied':
      return 'Copied'
    case 'intent':
      return 'Intent recorded'
    case 'begun':
      return 'Began to wait'
    case 'refused':
      return 'Refused before it began'
    case 'attempt':
      return `Attempt ${attempt ?? ''}`.trim()
    case 'trouble':
      return attempt === undefined ? 'No answer' : `Attempt ${attempt}, no answer`
    case 'put_off':
      return 'Postponed'
    case 'cut': {
      const how = reason === 'gave_back' ? 'the process gave it back' : 'the process died'
      return attempt === undefined ? capitalised(how) : `Attempt ${attempt}, then ${how}`
    }
    case 'in_doubt':
      return 'In doubt'
    case 'asked':
      return 'A person was asked'
    case 'answered':
      return by ? `${by.name ?? 'A member who is no longer here'} decided` : 'Decided'
    case 'arrived':
      return 'The outcome arrived late'
    case 'result':
      return 'Result recorded'
    case 'failed':
      return 'Failed'
    case 'cut_off':
      return 'Cut off'
    default:
      return kind satisfies never
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const afterCrash: Record<NonNullable<WholeRunStep['after_crash']>, string> = {
  never_again: 'This step is over and is not run again.',
  made_again: 'This step runs again: it has not happened yet, or may be repeated.',
  checked_first: 'The tool checks first whether it has happened.',
  asks: 'A person is asked: it may have happened, so it is not repeated silently.',
  waits: 'It continues to wait as it does now.',
}

/** What would become of the step if the process died at this moment. Undefined: nobody knows its tool. */
export const afterCrashOf = ({ after_crash: outcome }: Pick<WholeRunStep, 'after_crash'>): string | undefined =>
  outcome === null ? undefined : afterCrash[outcome]

const kinds: Record<WholeRunStep['kind'], string> = {
  model: 'turn of the model',
  tool: 'tool call',
  human: 'request to a person',
  wait: 'wait',
  sub_run: 'run of another agent',
}

const rooms: Record<NonNullable<WholeRunStep['room']>, string> = {
  drop: 'old pictures not shown any more',
  shorten: 'old results shown shorter',
  fold: 'notes in place of old turns',
}

export const kindOf = ({ kind, room }: Pick<WholeRunStep, 'kind' | 'room'>): string =>
  room === null ? kinds[kind] : rooms[room]
