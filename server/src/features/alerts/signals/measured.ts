// What a signal is asked and what it answers: a number, and the records behind it.
import type { Sql } from '../../../base/db.ts'
import type { Scope, Signal } from './signal.ts'

/** The part of a rule that says what is measured. */
export interface Asked {
  team_id: string
  signal: Signal
  scope: Scope
  scope_id: string | null
  window_minutes: number | null
  min_runs: number | null
}

export const behindKinds = ['run', 'human_request', 'case', 'delivery', 'schedule'] as const

/** One record behind a value. It has no content of the team's: what is erased there must not stay here. */
export interface Behind {
  kind: (typeof behindKinds)[number]
  id: string
  run_id: string | null
  agent_id: string | null
  at: Date | string
  says: string
}

/** How many records behind a value are read, and kept with an incident. */
export const behindMax = 20
/** How many rows a signal reads at most: a value beyond that is no more alarming. */
export const countedMax = 1000

export interface Meter {
  /** Null: there is nothing to measure. */
  value: (sql: Sql, asked: Asked) => Promise<number | null>
  behind: (sql: Sql, asked: Asked) => Promise<Behind[]>
}
