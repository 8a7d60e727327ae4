// What a process for suspects does: it drives the units that its parent sends, and reports when it takes one and when it is done.
import { mustHave } from './base/mustHave.ts'
import { engineOf } from './engine/engine.ts'
import type { Context } from './kit/context.ts'
import type { DriveSuspect } from './kit/feature.ts'
import { driveJob, jobKind } from './kit/jobDeaths.ts'
import { aliveEveryMs, type FromChild, type ToChild, type Unit } from './kit/suspectChild.ts'
import { watchParent } from './kit/parentWatch.ts'
import type { Presence } from './kit/presence.ts'
import { registryOf } from './kit/registry.ts'

/** How long one unit may begin further parts of its work. Then it ends where it is, and comes back later. */
const turnMs = 15_000

export async function startSuspectWork(context: Context, presence: Presence): Promise<{ stop(): Promise<void> }> {
  const { config, log } = context
  const self = { id: presence.processId, lost: () => presence.held() }
  const runs = engineOf(context).driveSuspects(self)
  const stopping = new AbortController()
  const parent = watchParent()
  const kinds: Record<string, DriveSuspect> = {
    run: ({ unit, took }) => runs.drive(unit, took),
    [jobKind]: driveJob,
    ...Object.fromEntries(
      registryOf(context).features.flatMap(({ driveSuspect }) => Object.entries(driveSuspect ?? {})),
    ),
  }
  const underWay = new Set<Promise<void>>()

  async function drive(unit: Unit): Promise<void> {
    let taken = false
    let failure: string | undefined
    const took = (at?: string) => {
      taken = true
      return tell({ took: unit.id, at })
    }
    try {
      const signal = AbortSignal.any([stopping.signal, presence.held()])
      const turn = AbortSignal.any([signal, AbortSignal.timeout(turnMs)])
      taken = await mustHave(
        kinds[unit.kind],
        `the work of the kind ${unit.kind}`,
      )({ context, unit, process: self, took, signal, turn })
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
      log.warn({ err: error, kind: unit.kind, id: unit.id }, 'work that processes died over failed')
    }
    await tell({ done: unit.id, taken, failure })
  }

  const polling = setInterval(() => {
    runs.poll().catch((error: unknown) => log.debug({ err: error }, 'a poll failed; will retry'))
  }, 500)
  const alive = setInterval(() => {
    parent.alive()
    void tell({ alive: true })
  }, aliveEveryMs)
  process.on('message', (message: ToChild) => {
    if (message === 'stop') return
    const driving: Promise<void> = drive(message.drive).finally(() => underWay.delete(driving))
    underWay.add(driving)
  })
  await tell({ ready: true })
  return {
    async stop() {
      stopping.abort()
      await runs.stop(config.drainS * 1000)
      await Promise.all(underWay)
      clearInterval(polling)
      clearInterval(alive)
      await parent.stop()
    },
  }
}

/** Resolves when the parent will surely read the message, even if this process dies; at once if nobody listens any more. */
function tell(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
