// A build as a run needs it: its config is parsed once and cached, because a run's config never changes. A run of a draft has its own copy.
import { BoundedCache } from '../../base/boundedCache.ts'
import { part, type Part, type Sql } from '../../base/db.ts'
import { bytesHeld } from '../../base/valueSize.ts'
import { needsApproval } from './approvalPolicy.ts'
import { parseBuildConfig, type BuildConfig } from './buildConfig.ts'
import { canonicalHash } from './canonicalHash.ts'

export interface LoadedBuild extends BuildConfig {
  id: string
  agentName: string
  /** The hash of the whole config; an approval is bound to it. */
  contentHash: string
  /** Whether a person must allow this call. */
  needsApproval: (tool: string, args: unknown) => boolean
}

interface Row {
  config: unknown
  agent_name: string
}

const bounds = { entriesMax: 500, sizeMax: 64 * 1024 ** 2, sizeOf: ({ build }: CachedBuild) => bytesHeld(build) }
/** How long a build is cached: an agent's new name may reach a run's procedure this much later. */
const cachedMs = 10_000

/** Identifies the config that a run follows. */
interface FollowsBuild {
  team_id: string
  build_id: string
  config_hash: string | null
}

interface CachedBuild {
  build: LoadedBuild
  readAt: number
}

export type LoadBuild = (sql: Sql, run: FollowsBuild) => Promise<LoadedBuild>

/** The config that a run follows, as it was when the run began. */
export async function readRunConfig(sql: Sql, run: FollowsBuild): Promise<BuildConfig> {
  const [row] = await sql<{ config: unknown }>`
    select ${configOfRun(run)} as config from builds b where b.id = ${run.build_id} and b.team_id = ${run.team_id}`
  return parseBuildConfig(row?.config)
}

/** SQL for the run's config, in a query over `builds b`. */
const configOfRun = ({ team_id, config_hash }: Pick<FollowsBuild, 'team_id' | 'config_hash'>): Part =>
  config_hash === null
    ? part`b.config`
    : part`(select p.config from pinned_configs p where p.team_id = ${team_id} and p.hash = ${config_hash})`

export function createBuildLoader(): LoadBuild {
  const cache = new BoundedCache<CachedBuild>({ name: 'builds', ...bounds })
  return async (sql, run) => {
    const { build_id: id, config_hash } = run
    const key = `${id} ${config_hash ?? ''}`
    const known = cache.get(key)
    if (known && performance.now() - known.readAt < cachedMs) return known.build
    cache.delete(key)
    const [row] = await sql<Row>`
      select ${configOfRun(run)} as config, a.name as agent_name from builds b join agents a on a.id = b.agent_id where b.id = ${id}`
    if (!row?.config) throw new Error(`the build ${id} of a run does not exist`)
    const parsed = parseBuildConfig(row.config)
    const build = {
      ...parsed,
      id,
      agentName: row.agent_name,
      contentHash: canonicalHash(row.config),
      needsApproval: (tool: string, args: unknown) => needsApproval(parsed.approvals.get(tool), args),
    }
    cache.set(key, { build, readAt: performance.now() })
    return build
  }
}
