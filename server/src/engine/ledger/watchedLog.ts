// The log of a run as its holder has seen it written: whoever saw all of it can check the run with the write that ends it.
import type { Context } from '../../kit/context.ts'
import type { CheckedEnd, LogWatch } from '../../kit/endCheck.ts'
import { endCheckOf } from '../../kit/registry.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import type { RunSource } from '../../kit/states.ts'
import type { Change, MessageRow } from './change.ts'

export interface WatchedLog {
  buildId: string
  watch: LogWatch
  /** How many messages the log had with the last write that was seen. */
  messages: number
}

interface WatchedRun {
  build_id: string
  source: RunSource
  message_seq: number
}

/** For a run that nobody held before. Undefined: it is not checked with its end. */
export function watchLog(context: Context, run: WatchedRun): WatchedLog | undefined {
  const watch = endCheckOf(context)?.watch(run)
  return watch && { buildId: run.build_id, watch, messages: run.message_seq }
}

/** A write that is missed here only lets the numbers of messages differ at the end, and then the run is checked later. */
export function seeWritten(context: Context, log: WatchedLog, teamId: string, messages: MessageRow[]): void {
  log.messages += messages.length
  teamTimeOf(context).piece(teamId, () => log.watch.see(messages))
}

/** What is written about the run with this change. Undefined: the change does not end it, or it can only be checked later. */
export function checkEnd(context: Context, change: Change, log: WatchedLog | undefined): CheckedEnd | undefined {
  const { runId, teamId, messages, move } = change
  if (!log || !move || move.status === 'waiting') return undefined
  try {
    const found = teamTimeOf(context).piece(teamId, () => log.watch.conclude({ messages, end: move }))
    return found && { runId, teamId, buildId: log.buildId, messages: log.messages + messages.length, found }
  } catch (error) {
    context.log.warn({ err: error, run_id: runId }, 'a run could not be checked with its end; it is checked later')
    return undefined
  }
}
