// Where a process asks for commands in sandboxes, runs them if it works, and hears what came of them.
import type { Context } from '../../../kit/context.ts'
import type { Work, WorkingProcess } from '../../../kit/feature.ts'
import { readAnswer, type Answered } from './execs.ts'
import { startExecRunner, type ExecRunner } from './runExecs.ts'
import { runningPart } from '../../../kit/runningPart.ts'

interface ExecDesk {
  /** A command was asked for, and is committed. */
  asked(): Promise<void>
  /** Resolves with its answer, whoever ran it. */
  answerOf(id: string): Promise<Answered>
  work(process: WorkingProcess): Work
}

/** Told to workers when there is a command to run, and to those who wait when one has ended, with its id. */
const askedChannel = 'sandbox_execs'
const endedChannel = 'sandbox_execs_ended'
/** How often one that waits looks by itself, in case a call was lost. */
const lookMs = 1000

export const execDeskOf = runningPart('exec broker', createExecDesk)

function createExecDesk(context: Context): ExecDesk {
  const { db, listener, log } = context
  let runner: ExecRunner | undefined
  const waiting = new Map<string, () => void>()
  let stopHearing: (() => void) | undefined

  function ended(id: string): void {
    const wake = waiting.get(id)
    if (wake) return wake()
    db.sql`select pg_notify(${endedChannel}, ${id})`.catch((error: unknown) =>
      log.debug({ err: error }, 'the end of a command was not told; who waits for it looks by itself'),
    )
  }

  return {
    async asked() {
      if (runner) runner.nudge()
      else await db.sql`select pg_notify(${askedChannel}, '')`
    },

    async answerOf(id) {
      stopHearing ??= listener.on(endedChannel, (other) => waiting.get(other)?.())
      for (;;) {
        const called = Promise.withResolvers<void>()
        waiting.set(id, called.resolve)
        const timer = setTimeout(called.resolve, lookMs)
        try {
          const answer = await readAnswer(db.sql, id)
          if (answer) return answer
          await called.promise
        } finally {
          clearTimeout(timer)
          waiting.delete(id)
        }
      }
    },

    work(process) {
      const mine = (runner = startExecRunner(context, process, ended))
      const stopListening = listener.on(askedChannel, () => mine.nudge())
      return {
        look: () => mine.look(),
        async stop() {
          runner = undefined
          stopListening()
          await mine.stop()
        },
      }
    },
  }
}
