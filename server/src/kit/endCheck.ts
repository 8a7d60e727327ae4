// How a run is checked with the write that ends it: what the engine shows to the feature that checks, and what that feature gives back.
import type { Part } from '../base/db.ts'

/** A message as it is written to the log of a run. */
export interface WrittenMessage {
  id: string
  turn: number
  role: string
  text_content: string | null
  tool_call: { id: string; name: string; arguments: unknown } | null
  tool_result: { tool_call_id: string; result: unknown; error: string | null } | null
}

/** The last write of a run. */
export interface LastWrite {
  messages: WrittenMessage[]
  end: { status: 'completed'; output: unknown } | { status: 'failed'; error: { code: string; message: string } }
}

/** What was found of a run. */
export interface Found {
  /** What the run's row shows of it. */
  summary: object
  results: object[]
  /** The flags that did not pass. */
  failed: string[]
  score: number | null
}

/** A run that is written with its end and with what was found of it. */
export interface CheckedEnd {
  runId: string
  teamId: string
  buildId: string
  /** How many messages were looked at. If the log has others, somebody else wrote them, and what was found does not count. */
  messages: number
  found: Found
}

/** Looks at the log of one run as it is written. */
export interface LogWatch {
  /** Looks at messages that were written. */
  see: (messages: WrittenMessage[]) => void
  /**
   * Comes to a result, perhaps inside a transaction that others share: so it is short, whatever the run wrote. It changes nothing, because
   * the write may fail and be made again. Undefined: this run can only be checked later.
   */
  conclude: (last: LastWrite) => Found | undefined
}

/**
 * Checks runs that one process drove from their beginning to their end, without reading them again. It only saves work: where it does not
 * come to a result, the run is checked later from its rows, and the result is the same.
 */
export interface EndCheck {
  /** Begins with a run that has written nothing. Undefined: runs like this one are not checked. */
  watch: (run: { source: string; message_seq: number }) => LogWatch | undefined
  /** SQL for the statement that ends the runs. */
  sql: (ends: CheckedEnd[]) => {
    /** A list of CTEs. One is `checked`, with run_id, messages and summary (jsonb) of each run that may be checked now. */
    checked: Part
    /** A list of CTEs that write from `checked` and from `run`, the rows of the runs that were written, with is_checked. */
    written: Part
  }
}
