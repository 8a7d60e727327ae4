// Pools of workers: a build may ask that only some processes work on its runs, and a process may be there for some teams alone.
import { part, type Part } from '../../base/db.ts'
import type { WorkerPools } from '../../base/settingKinds.ts'
import { drillWorkerRole } from '../../kit/presence.ts'

/** The pool of runs whose build asks for none. */
const defaultPool = 'default'

/** The pool of runs that only the processes of a drill take, since they call what only those may call. */
export const drillPool = 'drill'

/** Written out, since it is part of statements that are prepared once. */
const isOfNoDrill = part`worker_pool is distinct from 'drill'`

/** SQL condition on a row of a run: a process with this setting works on it. Without the setting it works on all but those of drills. */
export function isServed(pools: WorkerPools | undefined): Part {
  if (!pools) return isOfNoDrill
  const { names, teams, except_teams } = pools
  const isNamed = names
    ? part`(coalesce(worker_pool, ${defaultPool}) = any(${names}::text[]) or team_id = any(${teams}::uuid[]))`
    : isOfNoDrill
  return part`(${isNamed} and team_id <> all(${except_teams}::uuid[]))`
}

/**
 * SQL condition on a row of a run: ordinary processes of this role work on it; undefined: on none. A process that serves requests, a command and a
 * process for suspects die for reasons that no other run has to do with, and a drill kills its own workers.
 */
export function drivenBy(role: string): Part | undefined {
  if (role === drillWorkerRole) return part`worker_pool = 'drill'`
  return role === 'all' || role === 'worker' ? isOfNoDrill : undefined
}

/** It answers like `isServed`, in a process that looks at what others have reported; null: the setting is not made there. */
export function serves(pools: WorkerPools | null, run: { worker_pool: string | null; team_id: string }): boolean {
  if (!pools) return run.worker_pool !== drillPool
  const { names, teams, except_teams } = pools
  if (!names && run.worker_pool === drillPool) return false
  const isNamed = !names || names.includes(run.worker_pool ?? defaultPool) || teams.includes(run.team_id)
  return isNamed && !except_teams.includes(run.team_id)
}
