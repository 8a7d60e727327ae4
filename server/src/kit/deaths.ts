// What a row's count of deaths means, the same for every kind of work: who may do the work next, and when it is given up.
//
// 0 and 1: anybody. 2: only a process that does nothing but such suspects. 3: only a process that does nothing but this one. 4: nobody, it
// is given up. A process that dies beside ordinary work raises the count to 2 at most, because nobody knows which work it died over.
import { part, type Part } from '../base/db.ts'
import type { DeadProcess } from './presence.ts'

/** From this count on the work is done beside other suspects only. */
export const suspectDeaths = 2
/** From this count on it is done alone: a process that did several suspects died. */
export const aloneDeaths = 3
/** With this count it is given up: a process that did nothing else died. */
export const givenUpDeaths = 4

/** How many processes must have died before work is given up. It may have been more. */
export const deathsBeforeGivenUp = 3

export const isSuspect = ({ deaths }: { deaths: number }): boolean => deaths === suspectDeaths || deaths === aloneDeaths

export const mustBeAlone = ({ deaths }: { deaths: number }): boolean => deaths >= aloneDeaths

/** The roles of processes that do suspects only, as `processes.role` has them. */
export const suspectRoles = { several: 'suspects', one: 'suspect' } as const
export type Company = keyof typeof suspectRoles

/** The count after the death of a process that held the work, as an expression over a row's `deaths`. */
export function deathsAfter({ role }: Pick<DeadProcess, 'role'>): Part {
  if (role === suspectRoles.one) return raised(givenUpDeaths)
  if (role === suspectRoles.several) return raised(aloneDeaths)
  return raised(suspectDeaths)
}

/** The count after the death of a process for suspects; `isSure`: this work was the only one in it. */
export const deathsAfterSuspectProcess = (isSure: boolean): Part => raised(isSure ? givenUpDeaths : aloneDeaths)

/** A count below `suspectDeaths` grows by one; a higher one never falls. */
const raised = (to: number): Part => part`
  case when deaths < ${suspectDeaths}::int then deaths + 1 else greatest(deaths, ${to}::int) end`
