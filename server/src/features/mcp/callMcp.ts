// The hosted MCP endpoint: the operations of this service as tools, its runs, files and memories as resources, and prompts.
import { hash } from 'node:crypto'
import { protocol } from '../../kit/protocol.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { Message, MessageAnswer, MessageRefusal, readMessage } from './message.ts'
import { offered, toolCatalogOf } from './toolCatalog.ts'

/** Measured: what speaks the protocol takes 0.16 s and 32 MB to load, which a service without MCP clients need not spend. */
const loadSdk = () => Promise.all([import('./transport.ts'), import('./server.ts')])

const flag = (description: string) => Type.Optional(oneOf(['true', 'false', '1', '0'], { description }))
const isOn = (value: string | undefined): boolean => value === '1' || value === 'true'

export const callMcp = protocol({
  id: 'callMcp',
  client: 'mcp.call',
  route: 'POST /v2/mcp',
  summary: 'Call over MCP',
  description:
    'The Model Context Protocol over streamable HTTP, without sessions: revision 2026-07-28 and those before it. Each tool is an operation ' +
    'of this document under its operation id, with path, query and body fields side by side as arguments, and needs that operation’s scope ' +
    'too. A notification is answered with 202. An `Idempotency-Key` counts for the whole message; a tool that changes something also takes ' +
    '`idempotency_key`. `/docs/mcp` shows how to set up a client.',
  scope: 'mcp:call',
  query: Type.Object({
    toolsets: Type.String({
      default: 'core',
      pattern: '^[A-Za-z]+(,[A-Za-z]+)*$',
      maxLength: 500,
      description: 'Sets of tools, separated by commas: `core`, `all`, or names of parts such as `runs,queues`.',
    }),
    readonly: flag('`1`: only tools that change nothing.'),
    schemas: flag('`1`: the tools are listed with the schemas of their answers.'),
  }),
  message: Message,
  bodyBytesMax: 4 * 1024 * 1024,
  answer: MessageAnswer,
  refusal: MessageRefusal,
  via: 'mcp',
  async speak({ query, sent, headers, signal, idempotencyKey, caller, context, requestId, perform }) {
    const wanted = { toolsets: query.toolsets, isReadOnly: isOn(query.readonly), hasSchemas: isOn(query.schemas) }
    const catalog = toolCatalogOf(context)
    const tools = offered(catalog, wanted)
    const message = readMessage(sent)
    if (message instanceof Response) return { response: message, isOutcome: true }
    const session_id = headers['mcp-session-id']?.slice(0, 128)
    context.log.debug({ request_id: requestId, session_id, method: message['method'] }, 'MCP message')
    const [{ answerMessage }, { createMcpServer }] = await loadSdk()
    let isOutcome = true
    const response = await answerMessage({
      message,
      url: `${context.baseUrl()}/v2/mcp`,
      headers,
      makeServer: () =>
        createMcpServer({
          context,
          caller,
          operations: catalog.operations,
          tools,
          wanted,
          signal,
          perform,
          messageKey: idempotencyKey === undefined ? undefined : keyOfMessage(idempotencyKey),
          onTrouble: () => (isOutcome = false),
        }),
      onError: (error) => context.log.debug({ err: error }, 'an MCP message was refused or its caller left'),
    })
    return { response, isOutcome }
  },
})

/**
 * The tool call in a keyed message is bound to a key of its own, in the transaction of its effect: when this process dies between that
 * and the stored answer of the message, the repeat finds what was done.
 */
const keyOfMessage = (given: string) => ({ given, derived: `mcp ${hash('sha256', given)}` })
