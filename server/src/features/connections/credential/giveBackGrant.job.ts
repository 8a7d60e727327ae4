// Revokes the grant of a deleted connection at its provider (RFC 7009), then forgets it.
import type { SealedColumn } from '../../../base/sealedColumns.ts'
import { GrantRefused, revokeGrant } from '../../../drivers/oauth/oauth.ts'
import { job } from '../../../kit/job.ts'
import { Id, Type } from '../../../kit/schema.ts'
import { clientOfGrant } from '../providers/nativeClient.ts'
import type { OAuthFacts } from '../store/newConnection.ts'
import { openSecret, sealedConnectionSecret } from '../store/secret.ts'

/** Moved here without opening it, so it is still sealed for the connection. */
export const sealedRevocation: SealedColumn = {
  table: 'revocations',
  column: 'secret',
  key: ['connection_id'],
  purpose: ({ connection_id }) => sealedConnectionSecret.purpose({ id: connection_id! }),
}

interface Row {
  provider: string
  secret: Buffer
  oauth: OAuthFacts
}

export const giveBackGrant = job({
  name: 'giveBackGrant',
  input: Type.Object({ connection_id: Id }),
  safeToRepeat:
    'a token that was revoked can be revoked again (RFC 7009 §2.2), and the row is gone after the first success',
  attemptsMax: 8,
  async handler({ input: { connection_id: id }, sql, context, signal }) {
    const [row] = await sql<Row>`select provider, secret, oauth from revocations where connection_id = ${id}`
    if (!row) return
    const secret = openSecret(context.keyring, id, row.secret)
    if (secret.kind === 'oauth') {
      const { server, client_id, auth_method } = row.oauth
      const client_secret =
        secret.client_secret ?? clientOfGrant(context.config, row.provider, row.oauth)?.client.client_secret ?? null
      try {
        const token = secret.refresh_token ?? secret.access_token
        await revokeGrant(
          { server, client: { client_id, client_secret, auth_method }, token },
          { fetch: context.outbound.fetch, signal },
        )
      } catch (error) {
        if (!(error instanceof GrantRefused)) throw error
        context.log.info(
          { connection_id: id, provider: row.provider, reason: error.message },
          'a grant was not revoked',
        )
      }
    }
    // a renewal that was under way when the connection was deleted may have left a newer one, which has a job of its own
    await sql`delete from revocations where connection_id = ${id} and secret = ${row.secret}`
  },
})
