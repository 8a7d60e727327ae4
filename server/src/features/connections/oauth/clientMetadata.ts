// Ourselves as an OAuth client, as a document whose URL is our client id: servers that accept it need no registration.
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { redirectUriOf } from './redirectUri.ts'

const documentPath = '/oauth/client.json'

/** Null: without an https PUBLIC_URL no server can fetch it, or trust what it fetched. */
export const clientDocumentUrl = ({ config }: Pick<Context, 'config'>): string | null =>
  config.publicUrl?.startsWith('https://') ? `${config.publicUrl}${documentPath}` : null

/** draft-ietf-oauth-client-id-metadata-document §4: the document names its own URL. */
export function mountClientMetadata(app: FastifyInstance, context: Context): void {
  app.get(documentPath, async (_request, reply) => {
    const client_id = clientDocumentUrl(context)
    if (client_id === null)
      throw new Fault('not_found', 'This server has no client document: its PUBLIC_URL is not https.')
    reply.header('cache-control', 'public, max-age=3600')
    return {
      client_id,
      client_name: 'Runyard',
      client_uri: context.config.publicUrl,
      redirect_uris: [redirectUriOf(context)],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    }
  })
}
