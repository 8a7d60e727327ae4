// Changes the config of a draft, or what any build is called.
import type { Sql } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { instant, Type, wrapped } from '../../kit/schema.ts'
import { Build, BuildConfig, buildColumns, RevisionDescription, RevisionName } from './builds/build.ts'
import { hasActiveBuilder } from './builder/builderRun.ts'
import { procedureTemplate } from './builds/procedureTemplate.ts'
import { requireUsable } from './builds/usableConfig.ts'

export const updateRevision = operation({
  id: 'updateRevision',
  client: 'agents.updateRevision',
  route: 'PATCH /v2/revisions/:build_id',
  summary: 'Change a revision',
  description:
    'Only a draft can get another config, because runs have followed the other builds. While a builder run is active, the draft cannot ' +
    'get one either.',
  scope: 'agents:write',
  body: Type.Object(
    {
      config: Type.Optional(BuildConfig),
      expected_updated_at: Type.Optional(
        instant('Change it only if it still has this `updated_at`, as it was read; otherwise 409 `conflict`.'),
      ),
      revision_name: Type.Optional(RevisionName),
      revision_description: Type.Optional(RevisionDescription),
    },
    {
      examples: [
        { config: { version: 'v2', data: { input: procedureTemplate } }, revision_name: 'Asks before it pays' },
      ],
    },
  ),
  status: 200,
  answer: wrapped('build', 'build_id', Build),
  errors: ['builder_run_active', 'conflict', 'invalid_request'],
  async prepare({ team, body, context, sql, fail }) {
    if (body.config) await requireUsable(body.config, { sql, context, team, fail })
  },
  async handler({ team, caller, build, body, sql, fail }) {
    const expected = body.expected_updated_at ?? null
    const [changed] = await sql<Build>`
      update builds set
        config = coalesce(${body.config ? JSON.stringify(body.config) : null}::jsonb, config),
        config_by = case when ${body.config !== undefined} then ${caller.member_id} else config_by end,
        revision_name = case when ${'revision_name' in body} then ${body.revision_name ?? null} else revision_name end,
        revision_description = case when ${'revision_description' in body}
          then ${body.revision_description ?? null} else revision_description end,
        updated_at = now()
      where id = ${build.id} and team_id = ${team.id} and (status = 'draft' or not ${body.config !== undefined})
        and (${expected}::timestamptz is null or date_trunc('milliseconds', updated_at) = ${expected})
      returning ${buildColumns}`
    if (!changed) {
      const isDraft = body.config === undefined || (await isStillDraft(sql, build.id, team.id))
      return fail('conflict', isDraft ? changedSince : onlyDrafts)
    }
    // the row is ours now: a builder run that began before is seen, a later one reads this config
    if (body.config && (await hasActiveBuilder(sql, build.id, team.id))) fail('builder_run_active')
    return { build: changed, build_id: changed.id }
  },
})

const onlyDrafts = 'Only a draft can get another config. Make a new revision of this one, then change that.'
const changedSince =
  'Somebody changed this build since expected_updated_at. Read it again, then decide what it shall be.'

async function isStillDraft(sql: Sql, buildId: string, teamId: string): Promise<boolean> {
  const found = await sql`select id from builds where id = ${buildId} and team_id = ${teamId} and status = 'draft'`
  return found.length > 0
}
