// How a person brings a case from where it is to another column of the board, or why not. The board and its menus ask the same.
import type { Case, Profile } from '@runyard/sdk'
import { caseStatusWords, type CaseStatus } from './words.ts'

/** `takeOver`: from the member who holds it, which an admin may. `set`: as a bulk action on this one case does it, whatever state it was in; a run that holds it is stopped. */
export type MoveKind = 'claim' | 'release' | 'complete' | 'fail' | 'postpone' | 'takeOver' | 'set'

export interface Move {
  kind: MoveKind
  to: CaseStatus
  /** What a person must say or confirm first. */
  asks?: 'reason' | 'time' | 'stop' | 'holder'
}

export type Movable = Pick<Case, 'display_status' | 'claimed_by_run_id' | 'claimed_by_user_id'>

/** Who moves it. */
export type Me = Pick<Profile, 'id' | 'role'>

export type MoveOrWhy = { move: Move; whyNot?: undefined } | { move?: undefined; whyNot: string }

const no = (whyNot: string): MoveOrWhy => ({ whyNot })

export function moveTo(item: Movable, to: CaseStatus, me: Me): MoveOrWhy {
  const { display_status: from, claimed_by_run_id: run, claimed_by_user_id: member } = item
  if (to === 'needs_input') return no('Only a run that asks a person brings a case there.')
  if (isHeldByOther(item, me)) return ofOther(to, me)
  if (run !== null) return ofRun(to)
  if (from === to) return no(`It is ${caseStatusWords[to].toLowerCase()} already.`)
  if (from === 'completed' || from === 'failed') return ofEnded(to)
  return { move: { ...freely[to], ...(to === 'pending' && member === me.id && { kind: 'release' }), to } }
}

/** What brings a case there that nobody else holds. */
const freely: Record<Exclude<CaseStatus, 'needs_input'>, Omit<Move, 'to'>> = {
  in_progress: { kind: 'claim' },
  pending: { kind: 'set' },
  completed: { kind: 'complete' },
  failed: { kind: 'fail', asks: 'reason' },
  postponed: { kind: 'postpone', asks: 'time' },
}

/** Whether another member holds it, who can only be asked, or overruled by an admin. */
export const isHeldByOther = ({ claimed_by_user_id: member }: Movable, me: Me): boolean =>
  member !== null && member !== me.id

function ofOther(to: CaseStatus, { role }: Me): MoveOrWhy {
  if (role !== 'admin') return no('Another member holds it. Ask them to release it, or an admin to take it over.')
  return to === 'in_progress' || to === 'pending'
    ? { move: { kind: 'takeOver', to, asks: 'holder' } }
    : no('Another member holds it. Take it over first.')
}

/** The run would continue with the case, so the run is stopped first. */
const ofRun = (to: CaseStatus): MoveOrWhy =>
  to === 'in_progress' || to === 'postponed'
    ? no('A run holds it. Stop the run first, or wait until it ends.')
    : { move: { kind: 'set', to, asks: 'stop' } }

const ofEnded = (to: CaseStatus): MoveOrWhy =>
  to === 'in_progress' || to === 'postponed'
    ? no('It has ended. Make it pending first.')
    : { move: { kind: 'set', to } }

/** What brings it back; undefined: nothing exactly does. */
export function wayBack(before: Movable, { kind }: Move, me: Me): Move | undefined {
  if (kind === 'claim' && before.display_status === 'pending') return { kind: 'release', to: 'pending' }
  if (kind === 'release' && before.claimed_by_user_id === me.id) return { kind: 'claim', to: 'in_progress' }
  const isFree = before.claimed_by_run_id === null && before.claimed_by_user_id === null
  if ((kind === 'complete' || kind === 'fail' || kind === 'postpone') && before.display_status === 'pending' && isFree)
    return { kind: 'set', to: 'pending' }
  return undefined
}
