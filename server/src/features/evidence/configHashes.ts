// The SHA-256 of the config that a run followed. That of a build which is not a draft never changes, so each is read once.
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

const knownOf = runningPart('config hashes', () => new Map<string, Buffer>())

/** Nothing is known any more of a build that is gone. */
const unknown = Buffer.alloc(headBytes)

export async function configHashes(
  context: Context,
  sql: Sql,
  runs: WithConfig[],
): Promise<(run: WithConfig) => Buffer> {
  const known = knownOf(context)
  const wanted = runs.flatMap(({ build_id, config_hash }) => (config_hash === null ? [build_id] : []))
  if (known.size > knownMax) known.clear()
  const missing = [...new Set(wanted)].filter((id) => !known.has(id))
  const found =
    missing.length === 0
      ? []
      : await sql<{ id: string; hash: Buffer }>`
          select id, sha256(convert_to(config::text, 'UTF8')) as hash from builds where id = any(${missing}::uuid[])`
  for (const { id, hash } of found) known.set(id, hash)
  return ({ build_id, config_hash }) =>
    config_hash === null ? (known.get(build_id) ?? unknown) : Buffer.from(config_hash, 'hex')
}
