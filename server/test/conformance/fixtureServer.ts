// The tools, prompts and resources that the official conformance suite asks a server to have.
import { ResourceNotFoundError, Server, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server'

/** One red pixel, and silence. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const image = { type: 'image', data: pixel, mimeType: 'image/png' } as const
const text = (words: string) => ({ type: 'text', text: words }) as const
const resource = (uri: string, mimeType: string, words: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text: words } }) as const

type Call = (context: ServerContext) => Promise<CallToolResult> | CallToolResult

/** Nothing is kept beyond one message: see serverExpectedFailures.yml. */
const asksTheClient: Call = () => ({
  content: [text('This server keeps no session to ask its client in.')],
  isError: true,
})

const tools: Record<string, Call> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  async test_tool_with_logging({ mcpReq }) {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', words)
    }
    return { content: [text('It was logged.')] }
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken!, progress, total: 100 },
      })
    }
    return { content: [text('It went on.')] }
  },
  test_error_handling: () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }),
  test_reconnection: () => ({ content: [text('Nothing was interrupted.')] }),
  test_sampling: asksTheClient,
  test_elicitation: asksTheClient,
  test_elicitation_sep1034_defaults: asksTheClient,
  test_elicitation_sep1330_enums: asksTheClient,
}

const schemaTool = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
}

const user = <Content>(content: Content) => ({ role: 'user' as const, content })

const prompts: Record<string, (given: Record<string, string>) => ReturnType<typeof user<never>>[]> = {
  test_simple_prompt: () => [user(text('This is a simple prompt for testing.') as never)],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) as never),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    user(resource(resourceUri!, 'text/plain', 'Embedded resource content for testing.') as never),
    user(text('Please process the embedded resource above.') as never),
  ],
  test_prompt_with_image: () => [user(image as never), user(text('Please analyze the image above.') as never)],
}

const promptArguments: Record<string, string[]> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
}

const resources = [
  { uri: 'test://static-text', name: 'text', description: 'Text.', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'binary', description: 'A picture.', mimeType: 'image/png' },
]

function readFixture(uri: string) {
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: pixel }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw new ResourceNotFoundError(uri)
  return {
    uri,
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }
}

export function createFixtureServer(): Server {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} } },
  )
  const listed = Object.keys(tools).map((name) => ({
    name,
    description: name,
    inputSchema: { type: 'object' as const },
  }))
  server.setRequestHandler('tools/list', () => ({ tools: [...listed, schemaTool] }))
  server.setRequestHandler('tools/call', ({ params }, context) => tools[params.name]!(context))
  server.setRequestHandler('resources/list', () => ({ resources }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [readFixture(params.uri)] }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(prompts).map((name) => ({
      name,
      description: name,
      arguments: (promptArguments[name] ?? []).map((one) => ({ name: one, description: one, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }) => ({ messages: prompts[params.name]!(params.arguments ?? {}) }))
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }))
  return server
}
