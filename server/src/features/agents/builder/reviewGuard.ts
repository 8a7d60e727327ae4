// Which builder run of a build a person decides on, and whether it is still the one that they saw.
import type { Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { readInstant } from '../../../kit/instant.ts'
import { instant, Type, type Static } from '../../../kit/schema.ts'
import { type BuilderRow, builderRunColumns, findBuilderRun, isActive } from './builderRun.ts'

export const ReviewGuard = Type.Object(
  {
    builder_run_id: Type.Optional(Type.String({ description: 'Refused when another builder run is the active one.' })),
    expected_started_at: Type.Optional(
      instant('Its `started_at` as you read it: refused if it has begun again since then.'),
    ),
  },
  { examples: [{}] },
)

interface Decided {
  buildId: string
  teamId: string
  guard: Static<typeof ReviewGuard>
  fail: (code: 'not_found' | 'stale_review', message?: string) => never
}

/** Undefined: none is active. */
export async function findDecided(
  sql: Sql,
  { buildId, teamId, guard, fail }: Decided,
): Promise<BuilderRow | undefined> {
  const { builder_run_id, expected_started_at } = guard
  if (builder_run_id !== undefined) {
    const known = isId(builder_run_id) ? await findBuilderRun(sql, builder_run_id, teamId) : []
    if (known.length === 0) fail('not_found', 'This team has no builder run with this builder_run_id.')
  }
  const [active] = await sql<BuilderRow>`
    select ${builderRunColumns} from builder_runs where build_id = ${buildId} and team_id = ${teamId} and ${isActive}`
  if (builder_run_id !== undefined && active?.id !== builder_run_id) fail('stale_review')
  if (active && expected_started_at !== undefined) {
    const startedAt = active.started_at && new Date(active.started_at).toISOString()
    if (startedAt !== readInstant(expected_started_at)) fail('stale_review')
  }
  return active
}
