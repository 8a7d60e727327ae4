// What of the system needs a look, in sentences: processes that fell silent, loops that hang or begin late, full pools, work that waits.
import type { GetSystemAnswer, SystemProcess } from '@runyard/sdk'
import { count, duration } from '../../parts/amounts.ts'

/** After this time three reports in a row are missing. */
const silentMs = 20_000
/** A loop turns twice a second. */
const stuckMs = 10_000
const lateMs = 1000
const waitsMs = 30_000

export const nameOfProcess = ({ role, host, pid }: Pick<SystemProcess, 'role' | 'host' | 'pid'>): string =>
  `${role} ${pid} on ${host}`

export function troublesOf({ now, processes, waiting_work, database, object_store }: GetSystemAnswer): string[] {
  const at = Date.parse(now)
  return [
    ...processes.flatMap((one) => troublesOfProcess(one, at)),
    ...(processes.length > 0 && !processes.some(({ role }) => role === 'all' || role === 'worker')
      ? ['No worker is running, so nothing that waits begins. Start one: npm start -- --role worker.']
      : []),
    ...waiting_work.flatMap(({ what, since }) => {
      const ms = since === null ? 0 : at - Date.parse(since)
      return ms > waitsMs ? [`The oldest of the ${what} that are due has waited ${duration(ms)}.`] : []
    }),
    ...troublesOfStore(object_store),
    ...(database.connections > database.connections_max * 0.9
      ? [
          `The database has ${database.connections} of ${database.connections_max} connections open. Raise max_connections, or run fewer processes.`,
        ]
      : []),
  ]
}

/** A store that answers may still refuse; then it answered and failed at the same moment. */
function troublesOfStore(store: GetSystemAnswer['object_store']): string[] {
  if (!store) return []
  const { name, is_answering, answered_at, last_failure } = store
  const says = last_failure ? `: ${last_failure.says}` : ''
  if (is_answering === false)
    return [`The object store ${name} does not answer, so large files can neither be read nor uploaded${says}.`]
  const isRefused = last_failure !== null && last_failure.at >= (answered_at ?? '')
  return isRefused ? [`The object store ${name} refused the last request${says}.`] : []
}

function troublesOfProcess(one: SystemProcess, at: number): string[] {
  const name = nameOfProcess(one)
  if (one.reported_at === null || one.report === null)
    return at - Date.parse(one.started_at) > silentMs ? [`The process ${name} never reported.`] : []
  const silent = at - Date.parse(one.reported_at)
  if (silent > silentMs) return [`The process ${name} is running, but has not reported for ${duration(silent)}.`]
  const { loops, pools } = one.report
  const latest = Math.max(0, ...loops.map(({ late_ms }) => late_ms))
  return [
    ...(latest > lateMs ? [`Loops of ${name} begin ${duration(latest)} late: it is busy.`] : []),
    ...loops.flatMap(({ name: loop, under_way_ms }) =>
      under_way_ms !== null && under_way_ms > stuckMs
        ? [`The loop ${loop} of ${name} has been in one turn for ${duration(under_way_ms)}.`]
        : [],
    ),
    ...pools.flatMap(({ name: pool, size, taken, waiting }) =>
      waiting > 0 && taken >= size
        ? [`All ${count(size)} slots for ${pool} of ${name} are taken; ${count(waiting)} wait.`]
        : [],
    ),
  ]
}
