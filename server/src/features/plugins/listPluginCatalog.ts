// Lists what an agent's config may switch on.
import { operation } from '../../kit/operation.ts'
import { named, nullable, oneOf, Type } from '../../kit/schema.ts'
import { registryOf } from '../../kit/registry.ts'

const Plugin = named(
  'Plugin',
  Type.Object({
    name: Type.String({ examples: ['memory'] }),
    type: oneOf(['built_in', 'native']),
    title: Type.String({ examples: ['Memory'] }),
    description: Type.String(),
    tools: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
    requires_connection: Type.Boolean(),
    provider: nullable(Type.String()),
  }),
)

export const listPluginCatalog = operation({
  id: 'listPluginCatalog',
  client: 'plugins.list',
  route: 'GET /v2/plugins/catalog',
  summary: 'List the plugin catalogue',
  description:
    'The tool sets that an agent’s config may name under `plugins`, each with the tools this server can run.',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ plugins: Type.Array(Plugin) }),
  async handler({ context }) {
    const described = registryOf(context).toolSets.map(async ({ name, title, provider, tools, ...set }) => ({
      name,
      title,
      description: set.inForce ? `${set.description} ${await set.inForce(context)}` : set.description,
      tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
      type: provider === null ? ('built_in' as const) : ('native' as const),
      requires_connection: provider !== null,
      provider,
    }))
    return { plugins: await Promise.all(described) }
  },
})
