// The two documents that show an OAuth client how to get a token: RFC 8414 (server) and RFC 9728 (resource).
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../kit/context.ts'
import { scopes } from '../../kit/scopes.ts'

export function mountMetadata(app: FastifyInstance, context: Context): void {
  app.get('/.well-known/oauth-authorization-server', async () => {
    const issuer = context.baseUrl()
    return {
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      grant_types_supported: ['client_credentials'],
      // required by the RFC even where there is no authorization endpoint
      response_types_supported: [],
      scopes_supported: scopes,
      service_documentation: `${issuer}/docs`,
    }
  })
  app.get('/.well-known/oauth-protected-resource', async () => {
    const resource = context.baseUrl()
    return {
      resource,
      authorization_servers: [resource],
      bearer_methods_supported: ['header'],
      scopes_supported: scopes,
      resource_name: 'Runyard',
      resource_documentation: `${resource}/docs`,
    }
  })
}
