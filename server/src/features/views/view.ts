// A saved view: a name for the filter of a list, for its maker alone or for the whole team.
import { part, type Part, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const screens = ['runs', 'cases', 'human_requests'] as const

/** How many bytes of JSON a filter has at most. */
const filterBytesMax = 8192

/** What a caller may set of a view; the same fields are in every answer. */
export const viewFields = {
  screen: oneOf(screens, { description: 'The list that it is a view of.' }),
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Failed today'] }),
  filter: Type.Record(Type.String(), Type.String({ maxLength: 2000 }), {
    maxProperties: 50,
    description: `The query of the list, name by name. At most ${filterBytesMax / 1024} KiB.`,
    examples: [{ status: 'failed', agent_id: '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f' }],
  }),
  is_shared: Type.Boolean({ description: 'Whether the whole team sees it. Only its maker can change it.' }),
}

export const SavedView = named(
  'SavedView',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: Id,
    ...viewFields,
    created_at: Time,
    updated_at: Time,
  }),
)
export type SavedView = Static<typeof SavedView>

export const viewColumns = part`
  v.id, v.team_id, v.member_id as user_id, v.screen, v.name, v.filter, v.is_shared, v.created_at, v.updated_at`

/** SQL condition on `saved_views v`. */
export const isVisibleTo = (memberId: string): Part => part`(v.member_id = ${memberId} or v.is_shared)`

/** Bounds the names of the fields too, which no schema does. */
export function requireSmallFilter(filter: Record<string, string> | undefined): void {
  if (filter === undefined || Buffer.byteLength(JSON.stringify(filter)) <= filterBytesMax) return
  throw new Fault('invalid_request', `filter must be at most ${filterBytesMax / 1024} KiB of JSON.`)
}

export const takenName =
  'You have a view of this screen with this name already. Choose another name, or change that one.'

export const view = resource(
  'view',
  (sql, id, teamId, { member_id }) => sql<SavedView>`
    select ${viewColumns} from saved_views v where v.id = ${id} and v.team_id = ${teamId} and ${isVisibleTo(member_id)}`,
  async (sql, found, { member_id }) => {
    if (found.user_id === member_id || (await hasLeft(sql, found))) return
    throw new Fault('forbidden', 'Only the member who made this view can change it. Save a view of your own instead.')
  },
)

/** What somebody left behind for the team, anybody may clear away. */
async function hasLeft(sql: Sql, { user_id, team_id }: SavedView): Promise<boolean> {
  const left =
    await sql`select id from members where id = ${user_id} and team_id = ${team_id} and removed_at is not null`
  return left.length > 0
}

declare module '../../kit/resources.ts' {
  interface Resources {
    view: SavedView
  }
}
