// Discards what a builder run proposes, or ends one that still works; the draft stays as it was before.
import { operation } from '../../../kit/operation.ts'
import { Id, Type } from '../../../kit/schema.ts'
import { Build, buildColumns } from '../builds/build.ts'
import { isActive, lockBuild } from './builderRun.ts'
import { addProgress } from './heldBuilderRun.ts'
import { findDecided, ReviewGuard } from './reviewGuard.ts'

export const discardRevision = operation({
  id: 'discardRevision',
  client: 'agents.discardRevision',
  route: 'POST /v2/revisions/:build_id/discard',
  summary: 'Discard what the builder proposes',
  description:
    'Ends the builder run, also before it has proposed anything. The draft keeps the config that it had before.',
  scope: 'agents:write',
  body: ReviewGuard,
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), build: Build, build_id: Id }),
  errors: ['conflict', 'not_found', 'stale_review'],
  async handler({ team, build, body, sql, fail }) {
    if (!(await lockBuild(sql, build, team.id))) return fail('not_found')
    const decided = await findDecided(sql, { buildId: build.id, teamId: team.id, guard: body, fail })
    if (!decided) return fail('conflict', 'There is nothing to discard: no builder run of this build is active.')
    const [restored] = await sql<Build>`
      with discarded as (
        update builder_runs set status = 'discarded', completed_at = now(), pending_user_questions = null, messages = '[]', lesson = null,
          due_at = null, epoch = epoch + 1, updated_at = now(), progress = ${addProgress(['Discarded.'])}
        where id = ${decided.id} and team_id = ${team.id} and ${isActive}
        returning build_id, checkpoint_config
      )
      update builds set config = discarded.checkpoint_config, updated_at = now() from discarded
      where builds.id = discarded.build_id and builds.team_id = ${team.id} and builds.status = 'draft'
      returning ${buildColumns}`
    if (!restored) return fail('conflict')
    return { success: true as const, build: restored, build_id: restored.id }
  },
})
