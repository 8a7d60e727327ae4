// A skill: a folder with a SKILL.md that says what it is for and how it is done.
import { part, type Sql } from '../../base/db.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

export const Skill = named(
  'Skill',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: nullable(Id),
    name: Type.String({ description: 'As SKILL.md says; builds use it.', examples: ['monthly-report'] }),
    description: Type.String({ examples: ['Writes the monthly report from the figures of the queue.'] }),
    version: Type.Integer({ minimum: 1, description: 'Its newest version. Every change makes another.' }),
    created_at: Time,
    updated_at: Time,
  }),
)

export type Skill = Static<typeof Skill>

/** Columns of `skills s`. */
export const skillColumns = part`
  s.id, s.team_id, s.user_id, s.name, s.description, s.version, s.created_at, s.updated_at`

export const SkillFile = named(
  'SkillFile',
  Type.Object({
    path: Type.String({ examples: ['scripts/report.sh'] }),
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    is_executable: Type.Boolean(),
  }),
)

export type SkillFile = Static<typeof SkillFile>

export const skillResource = resource(
  'skill',
  (sql, id, teamId) => sql<Skill>`select ${skillColumns} from skills s where s.id = ${id} and s.team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    skill: Skill
  }
}

export const filesOfVersion = (
  sql: Sql,
  { id, team_id }: Pick<Skill, 'id' | 'team_id'>,
  version: number,
): Promise<SkillFile[]> => sql<SkillFile>`
  select path, size_bytes, encode(sha256, 'hex') as sha256, is_executable from skill_files
  where skill_id = ${id} and team_id = ${team_id} and version = ${version} order by path`

/** A version that is asked for; the newest unless given. */
export const VersionQuery = Type.Object({
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'An older version. Absent: the newest.' }),
  ),
})

/** The words by which builds may name it: its id or its name, alone or with a version after an @. */
export async function wordsFor(sql: Sql, { id, team_id, name }: Skill): Promise<string[]> {
  const rows = await sql<{ version: number }>`
    select version from skill_versions where skill_id = ${id} and team_id = ${team_id}`
  return [id, name].flatMap((word) => [word, ...rows.map(({ version }) => `${word}@${version}`)])
}
