// A cache of what can be started: an agent with its live build. The statement that creates the run checks it again.
import { BoundedCache } from '../../base/boundedCache.ts'
import type { Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { bytesHeld } from '../../base/valueSize.ts'
import { parseBuildConfig, type BuildConfig } from '../builds/buildConfig.ts'
import { isPausedFor, pausedSentence } from './pauses.ts'

interface StartTarget {
  agentId: string
  agentName: string
  buildId: string
  config: BuildConfig
  /** Why nothing of it starts now: the agent is paused. Runs of a draft start all the same, so that a fix can be tried. */
  paused: string | null
  seen: { agentAt: Date; buildAt: Date; isLive: boolean }
}

interface Row {
  agent_id: string
  agent_name: string
  agent_at: Date
  build_id: string
  build_at: Date
  config: unknown
  is_paused: boolean
  paused_reason: string | null
}

const bounds = { entriesMax: 1000, sizeMax: 64 * 1024 ** 2, sizeOf: ({ config }: StartTarget) => bytesHeld(config) }

export interface StartTargets {
  /** `fresh`: read it again, because the cached value is out of date. */
  find(
    sql: Sql,
    teamId: string,
    agentId: string,
    buildId: string | null,
    fresh: boolean,
  ): Promise<StartTarget | undefined>
}

export function createStartTargets(): StartTargets {
  const cache = new BoundedCache<StartTarget>({ name: 'startable agents', ...bounds })
  return {
    async find(sql, teamId, agentId, buildId, fresh) {
      const name = `${teamId} ${agentId} ${buildId ?? ''}`
      const known = fresh ? undefined : cache.get(name)
      if (known) return known
      cache.delete(name)
      if (!isId(agentId) || (buildId !== null && !isId(buildId))) return undefined
      const [row] = await sql<Row>`
        select a.id as agent_id, a.name as agent_name, a.updated_at as agent_at, b.id as build_id, b.updated_at as build_at, b.config,
          ${isPausedFor} as is_paused, a.paused_reason
        from agents a join builds b on b.agent_id = a.id
        where a.id = ${agentId} and a.team_id = ${teamId} and a.deleted_at is null and not a.is_hidden
          and (b.id = ${buildId} or (${buildId}::uuid is null and b.status = 'live'))`
      if (!row) return undefined
      const found: StartTarget = {
        agentId: row.agent_id,
        agentName: row.agent_name,
        buildId: row.build_id,
        config: parseBuildConfig(row.config),
        paused: row.is_paused ? pausedSentence(row.agent_name, row.paused_reason) : null,
        seen: { agentAt: row.agent_at, buildAt: row.build_at, isLive: buildId === null },
      }
      // a pause may end at any moment, so nobody is refused by what is remembered
      if (found.paused === null) cache.set(name, found)
      return found
    },
  }
}
