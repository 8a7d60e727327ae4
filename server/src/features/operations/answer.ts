// How the figures are answered: each call by itself, in a bounded number of flat rows, with a sentence where something was left out.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import type { Static, TObject } from '../../kit/schema.ts'
import { insideTool, type Outcome, type Tool } from '../../kit/tool.ts'
import { Unfit, type Span } from './span.ts'

/** How many rows a list of an answer has at most. */
export const rowsMax = 500

interface Asking<Input> {
  sql: Sql
  context: Context
  teamId: string
  input: Input
  now: Date
}

interface Figures<Input extends TObject> {
  name: string
  description: string
  input: Input
  read: (asking: Asking<Static<Input>>) => Promise<object>
}

/** A tool that reads figures of the team of the calling run. Each call is read by itself: its spans and filters are its own. */
export const figures = <Input extends TObject>({ name, description, input, read }: Figures<Input>): Tool =>
  insideTool({
    name,
    description,
    input,
    async apply(calls, sql, context) {
      const outcomes: Outcome[] = []
      for (const call of calls) {
        try {
          const asking = { sql, context, teamId: call.run.team_id, input: call.input, now: context.clock.now() }
          outcomes.push({ result: await read(asking) })
        } catch (error) {
          if (!(error instanceof Unfit)) throw error
          outcomes.push({ error: error.message })
        }
      }
      return outcomes
    },
  })

interface Bounded<Row> {
  rows: Row[]
  /** How many rows there were besides. */
  left_out: number
}

/** The first rows; the caller has sorted them so that these matter most. */
export const firstRows = <Row>(rows: Row[]): Bounded<Row> => ({
  rows: rows.slice(0, rowsMax),
  left_out: Math.max(0, rows.length - rowsMax),
})

/** The last rows, of rows in the order of time. */
export const latestRows = <Row>(rows: Row[]): Bounded<Row> => ({
  rows: rows.slice(-rowsMax),
  left_out: Math.max(0, rows.length - rowsMax),
})

/** The span as an answer shows it. */
export const shownSpan = ({ since, until }: Span) => ({
  since: since.toISOString(),
  until: until.toISOString(),
  time_zone: 'UTC',
})

/** Part of a whole, from 0 to 1; null where there is no whole. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000

export const sumOf = <Row>(rows: Row[], of: (row: Row) => number): number => rows.reduce((sum, row) => sum + of(row), 0)
