// JSON-RPC messages as MCP uses them: what may be sent, what is answered, and how a malformed message is refused.
import { errorBody, Fault } from '../../base/errors.ts'
import { named, nullable, Type } from '../../kit/schema.ts'
import { validateBody } from '../../kit/validate.ts'

const Fields = Type.Record(Type.String(), Type.Unknown())
const MessageId = Type.Union([Type.String({ examples: ['1'] }), Type.Integer()])
const version = Type.Literal('2.0')

export const Message = named(
  'McpMessage',
  Type.Object(
    {
      jsonrpc: version,
      id: Type.Optional(MessageId),
      method: Type.Optional(Type.String({ description: 'Absent in an answer to us.', maxLength: 200 })),
      params: Type.Optional(Fields),
      result: Type.Optional(Fields),
      error: Type.Optional(Fields),
    },
    { examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] },
  ),
)

const RpcError = Type.Object({
  code: Type.Integer({ examples: [-32600] }),
  message: Type.String(),
  data: Type.Optional(Type.Unknown()),
})

export const MessageAnswer = named(
  'McpAnswer',
  Type.Object(
    { jsonrpc: version, id: MessageId, result: Type.Optional(Fields), error: Type.Optional(RpcError) },
    { examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [] } }] },
  ),
)

export const MessageRefusal = named(
  'McpRefusal',
  Type.Object({ jsonrpc: version, id: nullable(MessageId), error: RpcError }),
)

/** The codes of JSON-RPC 2.0 §5.1. */
export const rpcCodes = { invalidRequest: -32600, methodNotFound: -32601 }

/**
 * Returns a message, or its refusal in the protocol's shape, with ours inside. A body that is not JSON-RPC at all gets no answer in the
 * protocol: it is refused by a Fault, like the body of any other operation.
 */
export function readMessage(value: unknown): Record<string, unknown> | Response {
  if (!isJsonRpc(value)) {
    const says =
      'The body is not a JSON-RPC 2.0 message. Send an object such as {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}.'
    throw new Fault('invalid_request', says)
  }
  try {
    return requireKind(validateBody(Message, requireOne(value)))
  } catch (error) {
    return refused(rpcCodes.invalidRequest, error)
  }
}

/** Whether a body says that it is JSON-RPC, or is a batch of such messages. */
const isJsonRpc = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some((one) => !Array.isArray(one) && isJsonRpc(one))
    : typeof value === 'object' && value !== null && Object.hasOwn(value, 'jsonrpc')

function requireOne(value: unknown): Record<string, unknown> {
  if (!Array.isArray(value)) return value as Record<string, unknown>
  throw new Fault('invalid_request', 'Send one message, not an array: MCP has no batches any more.')
}

function requireKind(message: Record<string, unknown>): Record<string, unknown> {
  const isAnswer = 'id' in message && ('result' in message || 'error' in message)
  if ('method' in message || isAnswer) return message
  const says = 'The message is neither a request, nor a notification, nor an answer of JSON-RPC 2.0. Give it a method.'
  throw new Fault('invalid_request', says)
}

function refused(code: number, error: unknown): Response {
  if (!(error instanceof Fault)) throw error
  return refusal(400, { code, message: error.message, data: errorBody(error) })
}

export const refusal = (
  status: 400 | 404,
  error: { code: number; message: string; data?: unknown },
  id: unknown = null,
): Response => Response.json({ jsonrpc: '2.0', id, error }, { status })
