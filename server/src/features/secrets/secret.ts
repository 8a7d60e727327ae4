// A secret: a named set of variables that runs use and nobody reads.
import { part, type Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { secretWord } from '../../base/secretMark.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

export const Secret = named(
  'Secret',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: nullable(Id),
    name: Type.String({ examples: ['crm'] }),
    shared: Type.Boolean({ description: 'False: only runs that act for its maker alone can use it.' }),
    env_var_keys: Type.Array(Type.String(), {
      description: 'The names of its variables. Values are never shown.',
      examples: [['CRM_TOKEN']],
    }),
    last_used_at: nullable(Time),
    created_at: Time,
    updated_at: Time,
  }),
)

export type Secret = Static<typeof Secret>

/** Columns of `secrets s`. */
export const secretColumns = part`
  s.id, s.team_id, s.user_id, s.name, s.shared, s.env_var_keys, s.last_used_at, s.created_at, s.updated_at`

export const secretResource = resource(
  'secret',
  (sql, id, teamId) => sql<Secret>`select ${secretColumns} from secrets s where s.id = ${id} and s.team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    secret: Secret
  }
}

export const fields = {
  name: Type.String({
    pattern: secretWord,
    description: 'Its name, unique in the team; builds and procedures use it. Letters, digits and _.',
    examples: ['crm'],
  }),
  shared: Type.Boolean({ description: 'False: only runs that act for its maker alone can use it.' }),
}

/** The team's secrets with these ids or names. */
export const secretsNamed = (sql: Sql, teamId: string, wanted: string[]): Promise<Secret[]> => sql<Secret>`
  select ${secretColumns} from secrets s
  where s.team_id = ${teamId} and (s.name = any(${wanted}::text[]) or s.id = any(${wanted.filter(isId)}::uuid[]))`
