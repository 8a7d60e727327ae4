// API keys, OAuth clients, and the token endpoint.
import { feature } from '../../kit/feature.ts'
import { key } from './apiKey.ts'
import { createApiKey } from './createApiKey.ts'
import { createOauthClient } from './createOauthClient.ts'
import { deleteApiKey } from './deleteApiKey.ts'
import { deleteOauthClient } from './deleteOauthClient.ts'
import { listApiKeys } from './listApiKeys.ts'
import { listOauthClients } from './listOauthClients.ts'
import { mountMetadata } from './metadata.ts'
import { client } from './oauthClient.ts'
import { sweepAccessTokens } from './sweepAccessTokens.job.ts'
import { mountTokenEndpoint } from './tokenEndpoint.ts'

export const credentials = feature({
  name: 'credentials',
  about: 'API keys, and OAuth clients for the client-credentials grant.',
  operations: [listApiKeys, createApiKey, deleteApiKey, listOauthClients, createOauthClient, deleteOauthClient],
  resources: [key, client],
  jobs: [sweepAccessTokens],
  routes(app, context) {
    mountTokenEndpoint(app, context)
    mountMetadata(app, context)
  },
})
