// A tool set for each provider that this server has a client for: its API, called with a connection of the agent.
import type { Config } from '../../../base/config.ts'
import type { Sql } from '../../../base/db.ts'
import { httpSet, performRequest, requestLeaves } from '../../../engine/tools/http.ts'
import type { Context } from '../../../kit/context.ts'
import { type ToolSet } from '../../../kit/feature.ts'
import type { Outside, Tool, ToolCall } from '../../../kit/tool.ts'
import { configuredProviders } from './nativeClient.ts'
import type { Provider } from './providers.ts'
import { connectionUseOf } from '../../../kit/registry.ts'

export const providerSets = (config: Config): ToolSet[] => configuredProviders(config).map(setOf)

const setOf = (provider: Provider): ToolSet => ({
  name: provider.name,
  title: provider.title,
  description: provider.description,
  provider: provider.name,
  tools: [requestTool(provider)],
})

type Request = Parameters<typeof performRequest>[0]

/** The HTTP tool, with the connection to this provider where the call names none: it needs to be named only where there are several. */
function requestTool({ name, title, hosts }: Provider): Tool {
  const [httpRequest] = httpSet.tools
  const named = (call: ToolCall<Request['input']>) => ({ ...call, input: { connection: name, ...call.input } })
  const tool = {
    ...httpRequest,
    name: `${name.replaceAll('-', '_')}_request`,
    description: `Call the API of ${title} (${hosts.join(', ')}) with this agent’s connection to it. Redirects are answered, not followed.`,
    leaves: (input: Request['input']) => requestLeaves({ connection: name, ...input }),
    actsAs: () => [httpRequest!.name],
    execute: (call: ToolCall<Request['input']>, outside: Outside) => performRequest(named(call), outside),
    boundTo: (call: ToolCall<Request['input']>, { sql, context }: { sql: Sql; context: Context }) =>
      connectionUseOf(context)!.boundTo({ sql, run: call.run, connection: named(call).input.connection }),
  }
  return tool as Tool
}
