// The SHA-256 of the config that a run followed, in hex. That of a build which is not a draft never changes, so each is read once.
import type { Sql } from '../../base/db.ts'
import { headBytes } from './seal.ts'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'

interface WithConfig {
  build_id: string
  /** Set for a run of a draft, whose config may have changed since. */
  config_hash: string | null
}

/** How many builds are remembered. */
const knownMax = 10_000

const knownOf = runningPart('config hashes', () => new Map<string, string>())

/** Nothing is known any more of a build that is gone. */
const unknown = '00'.repeat(headBytes)

export async function configHashes(
  context: Context,
  sql: Sql,
  runs: WithConfig[],
): Promise<(run: WithConfig) => string> {
  const known = knownOf(context)
  if (known.size > knownMax) known.clear()
  const missing = new Set<string>()
  for (const { build_id, config_hash } of runs) if (config_hash === null && !known.has(build_id)) missing.add(build_id)
  const found =
    missing.size === 0
      ? []
      : await sql<{ id: string; hash: string }>`
          select id, encode(sha256(convert_to(config::text, 'UTF8')), 'hex') as hash from builds where id = any(${[...missing]}::uuid[])`
  for (const { id, hash } of found) known.set(id, hash)
  return ({ build_id, config_hash }) => config_hash ?? known.get(build_id) ?? unknown
}
