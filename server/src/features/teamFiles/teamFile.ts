// A file that a team keeps for its agents.
import { part, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import { foldersOf, plainPath } from '../../base/plainPath.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

export const TeamFile = named(
  'TeamFile',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: nullable(Id),
    name: Type.String({ description: 'Its path in /files of a sandbox.', examples: ['reference/prices.csv'] }),
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
)

export type TeamFile = Static<typeof TeamFile>

/** Columns of `team_files f`. */
export const fileColumns = part`
  f.id, f.team_id, f.user_id, f.name, f.size_bytes, encode(f.sha256, 'hex') as sha256, f.created_at, f.updated_at`

export const fileResource = resource(
  'file',
  (sql, id, teamId) =>
    sql<TeamFile>`select ${fileColumns} from team_files f where f.id = ${id} and f.team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    file: TeamFile
  }
}

export const FileName = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'Its path in /files of a sandbox, unique in the team.',
  examples: ['reference/prices.csv'],
})

/** The team's files with these ids or names. */
export const filesNamed = (sql: Sql, teamId: string, wanted: string[]): Promise<TeamFile[]> => sql<TeamFile>`
  select ${fileColumns} from team_files f
  where f.team_id = ${teamId} and (f.name = any(${wanted}::text[]) or f.id = any(${wanted.filter(isId)}::uuid[]))
  order by f.name`

/** The name as it is stored. Refuses one that is no path. */
export function checkedName(text: string): string {
  const checked = plainPath(text)
  if ('problem' in checked) throw new Fault('invalid_request', `name: ${checked.problem}`)
  return checked.path
}

/** Refuses a name that would be a file and a folder at once. The team's row is locked against others who give names in it. */
export async function requireFreePlace(sql: Sql, teamId: string, name: string, exceptId: string | null): Promise<void> {
  await sql`select id from teams where id = ${teamId} for no key update`
  const [clash] = await sql<{ name: string }>`
    select name from team_files
    where team_id = ${teamId} and id is distinct from ${exceptId}::uuid
      and (name = any(${foldersOf(name)}::text[]) or (name > ${`${name}/`} and name < ${`${name}0`}))
    limit 1`
  if (!clash) return
  const says = `${JSON.stringify(name)} and ${JSON.stringify(clash.name)} cannot both be there: one would be a file and a folder.`
  throw new Fault('conflict', `${says} Choose another name.`)
}
