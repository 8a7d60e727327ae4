// The MCP server behind one message: what each method of the protocol does, for one caller.
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { mustHave } from '../../base/mustHave.ts'
import { Fault, errorBody } from '../../base/errors.ts'
import { runyardVersion } from '../../base/version.ts'
import type { Context } from '../../kit/context.ts'
import type { Caller } from '../../kit/credential.ts'
import { openStreamsOf } from '../../kit/openStreams.ts'
import type { Operation } from '../../kit/operation.ts'
import { faultOf, wantsOtherCredential, type Reply } from '../../kit/reply.ts'
import type { Conversation } from '../../kit/protocol.ts'
import { completionsFor } from './completions.ts'
import { askedOf, keyOf } from './operationTool.ts'
import { promptList, promptText } from './prompts.ts'
import { listResources, readResource, resourceTemplates } from './resources.ts'
import { TellingServer } from './errorMappingServer.ts'
import { listed, type CatalogTool, type WantedTools } from './toolCatalog.ts'
import { needsSomebody, readWaitSeconds, waitForRun, waitSecondsMax } from './waitForRun.ts'
import type { CallOperation } from './callOperation.ts'
import { hasEnded, type Status } from '../../engine/ledger/lifecycle.ts'

type Json = Record<string, unknown>

export interface Serving {
  context: Context
  caller: Caller
  operations: Map<string, Operation>
  /** The tools of this endpoint. */
  tools: Map<string, CatalogTool>
  wanted: WantedTools
  signal: AbortSignal
  perform: Conversation['perform']
  /** The Idempotency-Key of the message, and the key that the tool call in it gets from that. */
  messageKey: { given: string; derived: string } | undefined
  /** We failed, or something was busy: the answer is not the outcome of the message. */
  onTrouble: () => void
}

/** One for all: to make one costs more than to answer a message. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()
/** What is offered changes only with the server's version and the caller's scopes. */
const lists = { ttlMs: 300_000, cacheScope: 'private' } as const

const instructions =
  'Runyard runs agents. Start one with startRun, then waitForRun until it has ended or needs somebody; explainRun says why a run stands ' +
  'still. Give idempotency_key whenever you may have to repeat a call that changes something.'

export function createMcpServer(serving: Serving): Server {
  const server = new TellingServer(
    { name: 'runyard', title: 'Runyard', version: runyardVersion },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions,
      jsonSchemaValidator,
      cacheHints: { 'tools/list': lists, 'prompts/list': lists, 'resources/templates/list': lists },
    },
  )
  const { context, tools, wanted, caller, onTrouble } = serving
  server.onFailure = (error) => {
    context.log.error({ err: error }, 'an MCP message failed')
    onTrouble()
  }
  const use = useOf(serving)
  server.setRequestHandler('tools/list', async () => ({
    tools: listed(tools.values(), caller.scopes, wanted) as never,
  }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    callTool(serving, { use, mcpReq }, params.name, params.arguments ?? {}),
  )
  server.setRequestHandler('resources/list', async () => ({ resources: await listResources(use) }))
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates }))
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: [await readResource(use, params.uri)],
  }))
  server.setRequestHandler('prompts/list', async () => ({ prompts: promptList }))
  server.setRequestHandler('prompts/get', async ({ params }) => promptText(params.name, params.arguments ?? {}))
  server.setRequestHandler('completion/complete', async ({ params }) => ({
    completion: await completionsFor(use, params.argument),
  }))
  return server
}

function useOf({ operations, caller, perform, onTrouble }: Serving): CallOperation {
  return async (operationId, given, idempotencyKey) => {
    const operation = mustHave(operations.get(operationId), `the operation ${operationId}`)
    const reply = await perform(operation, { ...askedOf(operation, given, caller.team_id), idempotencyKey })
    if (reply.status >= 500 || reply.headers['retry-after'] !== undefined || wantsOtherCredential(reply)) onTrouble()
    return reply
  }
}

interface Means {
  use: CallOperation
  mcpReq: ServerContext['mcpReq']
}

async function callTool(serving: Serving, means: Means, name: string, given: Json): Promise<CallToolResult> {
  const { tools, messageKey } = serving
  const tool = tools.get(name)
  if (!tool) {
    const says = `Unknown tool: ${name.slice(0, 100)}. tools/list shows the tools of this URL; ?toolsets=all offers all of them.`
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, says)
  }
  try {
    if (!tool.operation) return await answerWait(serving, means, given)
    const own = keyOf(tool.operation, given)
    // the message holds its own key while it runs, so the call inside needs another key
    const key = own === undefined || own === messageKey?.given ? messageKey?.derived : own
    return resultOf(await means.use(name, given, key))
  } catch (error) {
    const fault = faultOf(error)
    if (!fault || fault.status >= 500) throw error
    if (fault.headers['retry-after'] !== undefined) serving.onTrouble()
    return failed(JSON.stringify(errorBody(fault)))
  }
}

/** The result as text for models that read text, and as a value; an error is only text, because it has no schema. */
function resultOf({ status, body }: Reply): CallToolResult {
  if (status >= 400) return failed(body ?? '')
  if (body === null) return { content: [{ type: 'text', text: 'Done.' }] }
  return { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body) as Json }
}

const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })

async function answerWait(serving: Serving, { use, mcpReq }: Means, given: Json): Promise<CallToolResult> {
  const { context, caller, signal } = serving
  const seconds = readWaitSeconds(given['wait_seconds'])
  if (seconds === undefined) {
    throw new Fault('invalid_request', `wait_seconds must be a whole number from 0 to ${waitSecondsMax}.`)
  }
  // scope, team and refusals are those of getRun: only who may read the run may wait for it
  const before = await use('getRun', given)
  if (before.status >= 400) return resultOf(before)
  const onProgress = progressOf(serving, mcpReq)
  const wait = { context, teamId: caller.team_id, runId: String(given['run_id']), seconds, signal }
  // it follows the run's events for as long as a stream may, so it counts as a stream
  const release = seconds > 0 ? openStreamsOf(context).reserve(caller) : undefined
  try {
    await waitForRun({ ...wait, ...(onProgress && { onProgress }) })
  } finally {
    release?.()
  }
  const reply = await use('getRun', given)
  if (reply.status >= 400) return resultOf(reply)
  const answer = JSON.parse(reply.body ?? '') as { status: Status; run: { waiting_on: { kind: string } | null } }
  const says = {
    has_ended: hasEnded(answer.status),
    needs_somebody: needsSomebody(answer.status, answer.run.waiting_on?.kind),
  }
  return resultOf({ ...reply, body: JSON.stringify({ ...answer, ...says }) })
}

/** Reports progress if the caller asked for it. The answer to a keyed message is stored, so it cannot be a stream. */
function progressOf({ messageKey, context }: Serving, mcpReq: Means['mcpReq']): ((event: string) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined || messageKey !== undefined) return undefined
  let progress = 0
  return (message) => {
    const params = { progressToken, progress: ++progress, message }
    mcpReq
      .notify({ method: 'notifications/progress', params })
      .catch((error: unknown) => context.log.debug({ err: error }, 'the progress of a wait reached nobody'))
  }
}
