// A build as a run needs it: its config parsed once, and kept, because a build that is live or historic never changes.
import type { Sql } from '../base/db.ts'
import { needsApproval } from './approval.ts'
import { parseBuildConfig, type BuildConfig } from './buildConfig.ts'

export interface LoadedBuild extends BuildConfig {
  id: string
  agentName: string
  /** Whether a person must allow this call. */
  needsApproval: (tool: string, args: unknown) => boolean
}

interface Row {
  config: unknown
  status: string
  agent_name: string
}

const keptMax = 500
/** An agent's new name may reach a run's procedure this much later. */
const keptMs = 10_000

export type LoadBuild = (sql: Sql, buildId: string) => Promise<LoadedBuild>

export function createBuildLoader(): LoadBuild {
  const kept = new Map<string, { build: LoadedBuild; readAt: number }>()
  return async (sql, buildId) => {
    const known = kept.get(buildId)
    if (known && performance.now() - known.readAt < keptMs) return known.build
    kept.delete(buildId)
    const [row] = await sql<Row>`
      select b.config, b.status, a.name as agent_name from builds b join agents a on a.id = b.agent_id where b.id = ${buildId}`
    if (!row) throw new Error(`the build ${buildId} of a run does not exist`)
    const parsed = parseBuildConfig(row.config)
    const build = {
      ...parsed,
      id: buildId,
      agentName: row.agent_name,
      needsApproval: (tool: string, args: unknown) => needsApproval(parsed.approvals.get(tool), args),
    }
    // a draft may be written again at any time
    if (row.status === 'draft') return build
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value!)
    kept.set(buildId, { build, readAt: performance.now() })
    return build
  }
}
