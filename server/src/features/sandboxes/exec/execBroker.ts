// Where a process asks for commands in sandboxes, runs them if it works, and gets their results.
import { untilWritten } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import type { Work, WorkingProcess } from '../../../kit/feature.ts'
import { readAnswer, type Answered } from './execs.ts'
import { startExecRunner, type ExecRunner } from './runExecs.ts'
import { runningPart } from '../../../kit/runningPart.ts'

interface ExecBroker {
  /** A command was asked for, and is committed. */
  asked(): Promise<void>
  /** Resolves with its answer, whoever ran it. */
  answerOf(id: string): Promise<Answered>
  work(process: WorkingProcess): Work
}

/** The first channel notifies workers that there is a command to run. The second notifies those who wait, with the id of the command that ended. */
const askedChannel = 'sandbox_execs'
const endedChannel = 'sandbox_execs_ended'
/** How often somebody who waits polls, in case a notification was lost. */
const pollMs = 1000
/** How long the database may be away while a call waits for its answer. */
const awayMaxMs = 30_000

export const execBrokerOf = runningPart('exec broker', createExecBroker)

function createExecBroker(context: Context): ExecBroker {
  const { db, listener, log } = context
  let runner: ExecRunner | undefined
  const waiting = new Map<string, () => void>()
  let stopHearing: (() => void) | undefined

  function ended(id: string): void {
    const wake = waiting.get(id)
    if (wake) return wake()
    db.sql`select pg_notify(${endedChannel}, ${id})`.catch((error: unknown) =>
      log.debug({ err: error }, 'could not announce the end of a command; whoever waits for it will poll'),
    )
  }

  return {
    async asked() {
      if (runner) runner.announced()
      else
        await db.sql`select pg_notify(${askedChannel}, '')`.catch((error: unknown) =>
          log.debug({ err: error }, 'could not announce a command; whoever runs commands will poll'),
        )
    },

    async answerOf(id) {
      stopHearing ??= listener.on(endedChannel, (other) => waiting.get(other)?.())
      for (;;) {
        const called = Promise.withResolvers<void>()
        waiting.set(id, called.resolve)
        const timer = setTimeout(called.resolve, pollMs)
        try {
          // the command runs on, and a repeat of the call would run it again
          const answer = await untilWritten(() => readAnswer(db.sql, id), AbortSignal.timeout(awayMaxMs))
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
      const stopListening = listener.on(askedChannel, () => mine.announced())
      return {
        poll: () => mine.poll(),
        async stop() {
          runner = undefined
          stopListening()
          await mine.stop()
        },
      }
    },
  }
}
