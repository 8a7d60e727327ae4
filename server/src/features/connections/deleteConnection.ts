// Deletes a connection; its grant is revoked at the provider afterwards.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import type { Connection } from './store/connection.ts'
import { giveBackGrant } from './credential/giveBackGrant.job.ts'
import { endWaits } from './store/connectionState.ts'

export const deleteConnection = operation({
  id: 'deleteConnection',
  client: 'connections.delete',
  route: 'DELETE /v2/connections/:connection_id',
  summary: 'Delete a connection',
  description:
    'It is gone at once, with its credential. Runs that waited for it continue and get an error. Builds keep the id, which no longer ' +
    'refers to anything. If the provider supports it, the tokens are revoked within moments. listConnectionDependents shows beforehand ' +
    'what uses it.',
  scope: 'connections:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  emits: ['connection.updated'],
  async handler({ team, connection: { id }, sql, fail, emit, enqueue }) {
    const [gone] = await sql<Pick<Connection, 'provider' | 'status'> & { has_grant: boolean }>`
      with gone as (
        delete from connections where id = ${id} and team_id = ${team.id}
        returning id, team_id, provider, status, secret, oauth
      ), kept as (
        insert into revocations (connection_id, team_id, provider, secret, oauth)
        select id, team_id, provider, secret, oauth from gone
        where secret is not null and oauth #>> '{server,revocation_endpoint}' is not null
        returning connection_id)
      select provider, status, exists (select from kept) as has_grant from gone`
    if (!gone) return fail('not_found')
    await endWaits(sql, id)
    await emit('connection.updated', {
      connection_id: id,
      provider: gone.provider,
      status: gone.status,
      change: 'deleted',
    })
    if (gone.has_grant) await enqueue(giveBackGrant, { connection_id: id })
    return { success: true as const }
  },
})
