// A replay set: recorded runs of an agent, against which its builds are replayed.
import { part } from '../../base/db.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'

export const setsMax = 20

export const setFields = {
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Invoices of March'] }),
}

export const ReplaySet = named(
  'ReplaySet',
  Type.Object({
    id: Id,
    team_id: Id,
    agent_id: Id,
    ...setFields,
    recordings: Type.Integer({ minimum: 0, description: 'How many recorded runs it has.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
    version: Type.Integer({ minimum: 0, description: 'Rises when recordings are added.' }),
    created_by: nullable(Id),
    created_at: Time,
    updated_at: Time,
  }),
)
export type ReplaySet = Static<typeof ReplaySet>

export const setColumns = part`
  s.id, s.team_id, s.agent_id, s.name, s.recordings, s.size_bytes, s.version, s.created_by, s.created_at, s.updated_at`

export const takenName = 'The agent has a replay set with this name already. Choose another name.'

export const replaySetResource = resource(
  'replay_set',
  (sql, id, teamId) => sql<ReplaySet>`
    select ${setColumns} from replay_sets s where s.id = ${id} and s.team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    replay_set: ReplaySet
  }
}
