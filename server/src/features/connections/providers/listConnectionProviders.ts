// Lists the providers whose accounts can be connected, and what an operator has to set for the others.
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { operation } from '../../../kit/operation.ts'
import { named, nullable, Type } from '../../../kit/schema.ts'
import { redirectUriOf } from '../oauth/redirectUri.ts'
import { nativeClient, settingsWanted } from './nativeClient.ts'
import { providers } from './providers.ts'

const ConnectionProvider = named(
  'ConnectionProvider',
  Type.Object({
    name: Type.String({ examples: ['github'] }),
    title: Type.String({ examples: ['GitHub'] }),
    description: Type.String({ description: 'What an agent can do with it.' }),
    is_configured: Type.Boolean({ description: 'This server has an OAuth client for it.' }),
    scopes: Type.Array(Type.String(), { description: 'What is asked for where the caller names none.' }),
    settings: Type.String({ description: 'The settings that an operator needs for it.' }),
    docs_url: Type.String({ description: 'How to make an OAuth client there.' }),
  }),
)

export const listConnectionProviders = operation({
  id: 'listConnectionProviders',
  client: 'connections.listProviders',
  route: 'GET /v2/teams/:teamId/connections/providers',
  summary: 'List the providers of connections',
  description:
    'Every provider of the table. An account can be connected where `is_configured` is true; for the others an operator makes an OAuth ' +
    'client at the provider, with `redirect_uri`, and sets `settings`.',
  scope: 'connections:read',
  status: 200,
  answer: Type.Object({
    providers: Type.Array(ConnectionProvider),
    redirect_uri: nullable(
      Type.String({ description: 'Where providers send the browser back to. Null: PUBLIC_URL is not set.' }),
    ),
  }),
  async handler({ context }) {
    const all = providers.map((row) => {
      const native = nativeClient(context.config, row.name)
      const { name, title, description, scopes } = native?.provider ?? row
      const { docs } = row
      return {
        name,
        title,
        description,
        is_configured: native !== undefined,
        scopes: [...scopes],
        settings: settingsWanted(row),
        docs_url: docs,
      }
    })
    return { providers: all, redirect_uri: knownRedirectUri(context) }
  },
})

function knownRedirectUri(context: Context): string | null {
  try {
    return redirectUriOf(context)
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}
