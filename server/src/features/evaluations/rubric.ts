// A rubric: what a team wants judged in every run of a build, beside what the service checks by itself.
import { one, part, type Sql } from '../../base/db.ts'
import { isId, newId } from '../../base/ids.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { severities, type Severity } from '../../kit/states.ts'

export const rubricFields = {
  title: Type.String({ minLength: 3, maxLength: 80, examples: ['Stays polite'] }),
  description: Type.String({
    minLength: 20,
    maxLength: 400,
    description: 'What must be true of a run so that it passes; the judge reads this text.',
    examples: ['Every message to the customer is friendly, and none blames them for the problem.'],
  }),
  severity: oneOf(severities, { description: 'How bad it is when a run does not pass; `medium` unless given.' }),
  sort_order: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Its position among the others, lowest first.',
  }),
}

export const Rubric = named(
  'EvalRubric',
  Type.Object({
    id: Id,
    slug: Type.String({ description: 'Its flag in results is `custom__<slug>`.', examples: ['stays_polite'] }),
    title: Type.String(),
    description: Type.String(),
    severity: oneOf(severities),
    sort_order: Type.Integer(),
    build_id: Id,
    created_at: Time,
    deleted_at: nullable(Time),
  }),
)

export type Rubric = Static<typeof Rubric>

/** The fields that a caller gives for a new rubric. */
export const NewRubric = Type.Object({
  title: rubricFields.title,
  description: rubricFields.description,
  severity: Type.Optional(rubricFields.severity),
  sort_order: Type.Optional(rubricFields.sort_order),
})

export const BuildIdOfRubrics = Type.Optional(
  nullable(Type.String({ description: 'One of the agent’s builds; the live one unless given.' })),
)

/** How many rubrics of one build may be active. */
export const rubricsMax = 5

/** Columns of `eval_rubrics r`. */
export const rubricColumns = part`
  r.id, r.slug, r.title, r.description, r.severity, r.sort_order, r.build_id, r.created_at, r.deleted_at`

export const flagOf = ({ slug }: { slug: string }): string => `custom__${slug}`

/** A rubric that was replaced or deleted is history and cannot be changed. */
export const rubricResource = resource(
  'rubric',
  (sql, id, teamId) => sql<Rubric & { agent_id: string }>`
    select ${rubricColumns}, r.agent_id from eval_rubrics r
    where r.id = ${id} and r.team_id = ${teamId} and r.deleted_at is null`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    rubric: Rubric & { agent_id: string }
  }
}

interface Owner {
  teamId: string
  agentId: string
}

/** The active rubrics, in their order. */
export const rubricsOf = (sql: Sql, { teamId }: Pick<Owner, 'teamId'>, buildId: string): Promise<Rubric[]> =>
  sql<Rubric>`
    select ${rubricColumns} from eval_rubrics r
    where r.build_id = ${buildId} and r.team_id = ${teamId} and r.deleted_at is null order by r.sort_order, r.id`

/** The id of the agent's live build, or of the one that is named; undefined: the agent has no such build. */
export async function buildOf(
  sql: Sql,
  { teamId, agentId }: Owner,
  wanted: string | null,
): Promise<string | undefined> {
  if (wanted !== null && !isId(wanted)) return undefined
  const [found] = await sql<{ id: string }>`
    select id from builds
    where agent_id = ${agentId} and team_id = ${teamId} and case when ${wanted}::uuid is null then status = 'live' else id = ${wanted} end`
  return found?.id
}

/** Whoever changes the rubrics of a build locks its row first: what is counted after that stays true. */
export async function lockBuild(
  sql: Sql,
  owner: Owner,
  wanted: string | null | undefined,
  fail: (code: 'not_found', message?: string) => never,
): Promise<string> {
  const id = await buildOf(sql, owner, wanted ?? null)
  if (id === undefined) {
    return fail('not_found', 'This agent has no build with this build_id. GET …/revisions lists its builds.')
  }
  await sql`select id from builds where id = ${id} and team_id = ${owner.teamId} for no key update`
  return id
}

interface RubricWanted {
  title: string
  description: string
  severity: Severity
  sortOrder: number
  /** The rubric that it replaces. */
  replaces: string | null
}

/** Under the lock of the build. */
export async function insertRubric(sql: Sql, owner: Owner, buildId: string, wanted: RubricWanted): Promise<Rubric> {
  const { title, description, severity, sortOrder, replaces } = wanted
  const slug = await freeSlug(sql, owner, buildId, slugOf(title))
  const made = await one(sql<Rubric>`
    insert into eval_rubrics as r (id, team_id, agent_id, build_id, slug, title, description, severity, sort_order, replaces)
    values (${newId()}, ${owner.teamId}, ${owner.agentId}, ${buildId}, ${slug}, ${title}, ${description}, ${severity}, ${sortOrder},
      ${replaces})
    returning ${rubricColumns}`)
  return made
}

/** Deactivates a rubric for later runs; false: another request was faster. */
export async function endRubric(sql: Sql, { teamId }: Pick<Owner, 'teamId'>, id: string): Promise<boolean> {
  const ended = await sql`
    update eval_rubrics set deleted_at = now() where id = ${id} and team_id = ${teamId} and deleted_at is null returning id`
  return ended.length > 0
}

/** Turns `Stays polite!` into `stays_polite`. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
  return words.replaceAll(/^_+|_+$/g, '').slice(0, 60) || 'rubric'
}

/** A flag means one thing in its build for ever, so slugs of rubrics that are gone are taken too. */
async function freeSlug(sql: Sql, { teamId }: Owner, buildId: string, wanted: string): Promise<string> {
  const rows = await sql<{ slug: string }>`
    select slug from eval_rubrics
    where build_id = ${buildId} and team_id = ${teamId} and starts_with(slug, ${wanted})`
  const taken = new Set(rows.map(({ slug }) => slug))
  for (let n = 1; ; n++) {
    const slug = n === 1 ? wanted : `${wanted}_${n}`
    if (!taken.has(slug)) return slug
  }
}
