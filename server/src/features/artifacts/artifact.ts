// An artifact: a live page that a chat makes and that refreshes itself. Its record, and who may read and change it.
import { part, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { ofEngine } from '../../engine/requests/humanRequests.ts'
import type { Context } from '../../kit/context.ts'
import type { Caller } from '../../kit/credential.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { signedUrl } from '../../kit/signedUrl.ts'
import { publicUrl } from './publicUrl.ts'

export const kinds = ['dashboard', 'document'] as const
export const visibilities = ['private', 'team', 'public'] as const
export const permissions = ['view', 'edit'] as const
export const frequencies = [
  'every_15_minutes',
  'every_30_minutes',
  'hourly',
  'every_6_hours',
  'daily',
  'weekly',
] as const
const statuses = ['not_started', 'pending', 'running', 'completed', 'failed', 'interrupted'] as const

const Question = Type.Object({
  question: Type.String(),
  header: Type.Optional(Type.String()),
  options: Type.Optional(Type.Array(Type.Object({ label: Type.String(), description: Type.Optional(Type.String()) }))),
  multi_select: Type.Optional(Type.Boolean()),
})

export const Artifact = named(
  'Artifact',
  Type.Object({
    id: Id,
    team_id: Id,
    created_by_user_id: Id,
    title: nullable(Type.String({ examples: ['Operations today'] })),
    kind: oneOf(kinds),
    status: oneOf(statuses, { description: 'While a question is open, the artifact is `running`.' }),
    html_code_present: Type.Boolean({ description: 'Whether there is a page to render.' }),
    visibility: oneOf(visibilities),
    publish_permission: oneOf(permissions),
    public_url: nullable(
      Type.String({ description: 'Shows the page to everybody who has it, as long as the artifact is public.' }),
    ),
    thumbnail_url: nullable(
      Type.String({ description: 'A picture of the current page. The URL is valid for at least an hour.' }),
    ),
    refresh_frequency: nullable(oneOf(frequencies)),
    last_refresh_at: nullable(Time),
    next_refresh_at: nullable(Time),
    refresh_error: nullable(Type.String({ description: 'Why the last refresh failed. The last good page stays.' })),
    current_revision_id: nullable(Id),
    current_version: Type.Integer({ minimum: 0 }),
    pending_question: nullable(
      Type.Object(
        {
          tool_call_id: Type.String(),
          questions: Type.Array(Question),
          needs_approver: Type.Boolean({
            description:
              'Whether the answer decides about a call or a limit: then it takes the scope `approvals:write` too.',
          }),
        },
        { description: 'What the work asks. answerArtifact answers it.' },
      ),
    ),
    created_at: Time,
    updated_at: Time,
  }),
)
export type Artifact = Static<typeof Artifact>

/** The record as operations use it: with what the wire does not show. */
export interface ArtifactRow extends Omit<Artifact, 'public_url' | 'thumbnail_url'> {
  agent_id: string
  /** Whose words are in it: its work acts on behalf of all of them. */
  acts_for: string[]
  page_build_id: string
  work_build_id: string
  run_id: string | null
  public_key: string | null
  picture: string | null
  /** The number of its latest revision. */
  revisions_count: number
}

/** Its open question: of the work itself, or of the steps that the work is running. */
const pendingQuestion = part`(
  select jsonb_build_object('tool_call_id', h.id, 'questions', case h.type
    when 'question' then h.questions
    else jsonb_build_array(jsonb_build_object('question', h.title, 'options',
      jsonb_build_array(jsonb_build_object('label', 'Approve'), jsonb_build_object('label', 'Reject')))) end,
    'needs_approver', ${ofEngine(part`h`)})
  from human_requests h
  where h.run_id in (select r.id from runs r where r.id = artifacts.run_id or r.parent_run_id = artifacts.run_id)
    and h.status = 'pending' and h.type in ('question', 'approval')
  order by h.id limit 1)`

export const artifactColumns = part`
  artifacts.id, artifacts.team_id, artifacts.created_by_user_id, artifacts.title, artifacts.kind,
  coalesce((
    select case r.status when 'pending' then 'pending' else 'running' end from runs r where r.id = artifacts.run_id), artifacts.status) as status,
  artifacts.current_revision_id is not null as html_code_present, artifacts.visibility, artifacts.publish_permission,
  artifacts.refresh_frequency, artifacts.last_refresh_at, artifacts.next_refresh_at, artifacts.refresh_error,
  artifacts.current_revision_id,
  coalesce((select v.version from artifact_revisions v where v.id = artifacts.current_revision_id), 0) as current_version,
  case when artifacts.run_id is not null then ${pendingQuestion} end as pending_question,
  artifacts.created_at, artifacts.updated_at,
  artifacts.agent_id, artifacts.acts_for, artifacts.page_build_id, artifacts.work_build_id, artifacts.run_id, artifacts.public_key, artifacts.revisions_count,
  (select encode(v.picture_sha256, 'hex') from artifact_revisions v where v.id = artifacts.current_revision_id) as picture`

/** SQL condition: this member may read the artifact. */
const readableBy = (memberId: string) => part`
  (artifacts.created_by_user_id = ${memberId} or artifacts.visibility <> 'private')`

/** How long a URL of a picture is valid at least. */
const pictureUrlS = 3600

/** The record as the wire has it. */
export function shown(context: Context, row: ArtifactRow): Artifact {
  const {
    agent_id: _agent,
    acts_for: _actsFor,
    page_build_id: _page,
    work_build_id: _work,
    run_id: _run,
    public_key,
    picture,
    revisions_count: _revisions,
    ...rest
  } = row
  return {
    ...rest,
    public_url: public_key === null ? null : publicUrl(context, { id: row.id, publicKey: public_key }),
    thumbnail_url: pictureUrl(context, row, { revisionId: row.current_revision_id, picture }),
  }
}

/** Where the picture of a revision is; null: there is none yet. */
export const pictureUrl = (
  context: Context,
  { visibility, team_id }: Pick<ArtifactRow, 'visibility' | 'team_id'>,
  { revisionId, picture }: { revisionId: string | null; picture: string | null },
): string | null =>
  picture === null
    ? null
    : signedUrl(context, {
        method: 'GET',
        path: `/artifacts/pictures/${revisionId}`,
        query: { picture, for: visibility === 'private' ? 'creator' : 'team' },
        teamId: team_id,
        validS: pictureUrlS,
      })

/** "The artifact" as an answer: its fields at the top, and the record beside them. */
export const ArtifactAnswer = Type.Object({ ...Artifact.properties, artifact: Artifact, artifact_id: Id })

function artifactAnswer(context: Context, row: ArtifactRow): Static<typeof ArtifactAnswer> {
  const artifact = shown(context, row)
  return { ...artifact, artifact, artifact_id: artifact.id }
}

type Person = Pick<Caller, 'member_id'>
type Refuse = (code: 'forbidden', message: string) => never

export const isCreator = (row: Pick<ArtifactRow, 'created_by_user_id'>, { member_id }: Person): boolean =>
  row.created_by_user_id === member_id

export const canEdit = (row: ArtifactRow, caller: Person): boolean =>
  isCreator(row, caller) || (row.visibility !== 'private' && row.publish_permission === 'edit')

export function requireEditor(row: ArtifactRow, caller: Person, fail: Refuse): void {
  if (canEdit(row, caller)) return
  fail('forbidden', 'Only its creator may change this artifact. They can share it with the permission `edit`.')
}

export function requireCreator(row: ArtifactRow, caller: Person, fail: Refuse): void {
  if (!isCreator(row, caller)) fail('forbidden', 'Only the creator of this artifact may do this.')
}

/** A private artifact of somebody else does not exist for this member. */
export const findArtifact = (sql: Sql, id: string, teamId: string, { member_id }: Person): Promise<ArtifactRow[]> =>
  sql<ArtifactRow>`
    select ${artifactColumns} from artifacts
    where artifacts.id = ${id} and artifacts.team_id = ${teamId} and ${readableBy(member_id)}`

/** The answer with the record as it is now. It may have been deleted, or made private by its creator, since the path was resolved. */
export async function answerNow(
  context: Context,
  sql: Sql,
  { id, team_id }: { id: string; team_id: string },
  caller: Person,
): Promise<Static<typeof ArtifactAnswer>> {
  const [row] = await findArtifact(sql, id, team_id, caller)
  if (!row) throw new Fault('not_found')
  return artifactAnswer(context, row)
}

export const artifact = resource('artifact', findArtifact)

declare module '../../kit/resources.ts' {
  interface Resources {
    artifact: ArtifactRow
  }
}
