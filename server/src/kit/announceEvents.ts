// The step after a commit that wrote events: everything in this process that acts on new events is woken.
//
// Nobody calls it by hand. A statement that writes events holds `announcing` (kit/event.ts puts it there), and the database calls
// `announceEvents` when such a statement is committed. Other processes get notifications, and find events by their own polls.
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'

const listenersOf = runningPart('listeners for events', () => new Set<() => void>())

/** Calls the listener after each commit of this process that wrote events. It must return at once: the writer waits for it. */
export function onEventsWritten(context: Context, listener: () => void): void {
  listenersOf(context).add(listener)
}

export function announceEvents(context: Context): void {
  for (const listener of listenersOf(context)) {
    try {
      listener()
    } catch (error) {
      // the events are committed: a listener that fails must not look like a failed write
      context.log.error({ err: error }, 'a listener for new events failed; its next poll finds them')
    }
  }
}
