// What lies outside of the service, as far as the console shows it: receivers of events, APIs and an MCP server, and what is connected to them.
import { setTimeout as pause } from 'node:timers/promises'
import type { Delivery, Runyard } from '../../../sdk/src/index.ts'
import { startMcpServer, type McpServer } from '../../../server/test/fakes/mcpServer.ts'
import { startReceiver, type Receiver } from '../../../server/test/kit/receiver.ts'
import { untilStatus } from './sampleData.ts'

export interface Outside {
  /** Works; an agent with a schedule uses it. */
  billing: string
  /** Its key is refused, and a run waits for it. */
  crm: string
  /** An MCP server that has changed a tool and added one since they were approved. */
  wiki: string
  waiting: string
  /** Given up. */
  delivery: string
  servers: { api: Receiver; refusing: Receiver; failing: Receiver; mcp: McpServer }
}

const pages = {
  name: 'search_pages',
  description: 'Finds pages of the wiki by words.',
  input_schema: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
}

/** Started outside of tests: what a test starts is closed when it ends. */
export async function startOutside(): Promise<Outside['servers']> {
  const [api, refusing, failing, mcp] = await Promise.all([
    startReceiver(),
    startReceiver(),
    startReceiver(),
    startMcpServer({ tools: [pages, { name: 'read_page', description: 'Reads one page.' }] }),
  ])
  return { api, refusing, failing, mcp }
}

export async function makeOutside(sdk: Runyard, servers: Outside['servers']): Promise<Outside> {
  const { api, refusing, failing, mcp } = servers
  api.answer(200, { 'content-type': 'application/json' }, '{"ok":true}')
  refusing.answer(401, {}, '{"error":"unknown key"}')
  failing.answer(503, { 'content-type': 'application/json' }, '{"error":"closed for maintenance until 06:00"}')
  await sdk.webhooks.create({ url: `${api.url}/runyard`, events: ['*'] })
  await sdk.webhooks.create({ url: `${failing.url}/hooks/accounting`, events: ['run.completed', 'run.failed'] })
  const [billing, crm, wiki] = await Promise.all([
    connect(sdk, { name: 'Billing', type: 'api', server_url: `${api.url}/v1`, api_key: 'billing-key-0123456789' }),
    connect(sdk, { name: 'Our CRM', type: 'api', server_url: `${refusing.url}/v2`, api_key: 'crm-key-0123456789' }),
    connect(sdk, { name: 'Wiki', type: 'custom_mcp', server_url: mcp.url }),
  ])
  await sdk.connections.test(wiki)
  mcp.tools = [
    { ...pages, description: 'Finds pages of the wiki by words, also those that were deleted.' },
    ...mcp.tools.slice(1),
    { name: 'delete_page', description: 'Deletes a page for ever.' },
  ]
  await sdk.connections.test(wiki)
  const waiting = await waitForCrm(sdk, { billing, crm, servers })
  const delivery = await givenUp(sdk)
  return { billing, crm, wiki, waiting, delivery, servers }
}

const connect = async (sdk: Runyard, input: Parameters<Runyard['connections']['create']>[0]): Promise<string> =>
  (await sdk.connections.create(input)).connection_id

/** An agent asks the one, then the other, and waits there. */
async function waitForCrm(
  sdk: Runyard,
  { billing, crm, servers }: { billing: string; crm: string; servers: Outside['servers'] },
): Promise<string> {
  const input = [
    '# Check an invoice',
    `\`\`\`http connection="Billing"\nGET ${servers.api.url}/v1/invoices/4711\n\`\`\``,
    `\`\`\`http connection="Our CRM"\nGET ${servers.refusing.url}/v2/customers/17\n\`\`\``,
    '```output\nchecked\n```',
  ].join('\n\n')
  const { agent_id } = await sdk.agents.create({
    name: 'Invoice checker',
    build: { config: { version: 'v2', data: { input, connections: [billing, crm] } } },
  })
  await sdk.schedules.create(agent_id, { frequency: 'daily', time: '06:30', timezone: 'Europe/Berlin' })
  const { run_id } = await sdk.runs.start({ agent_id, title: 'Invoice 4711', message: 'Check invoice 4711' })
  await untilStatus(sdk, run_id, 'waiting')
  return run_id
}

async function givenUp(sdk: Runyard): Promise<string> {
  const { agent_id } = await sdk.agents.create({
    name: 'Ledger close',
    build: { config: { version: 'v2', data: { input: '```output\nclosed\n```' } } },
  })
  const { run_id } = await sdk.runs.start({ agent_id, title: 'Ledger of November' })
  await untilStatus(sdk, run_id, 'completed')
  return (await untilGivenUp(sdk, 1)).id
}

/** Waits until so many deliveries of the team were given up, and answers with the last of them. */
export async function untilGivenUp(sdk: Runyard, wanted: number): Promise<Delivery> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await pause(50)) {
    const { deliveries, total } = await sdk.deliveries.list({ status: 'dead', limit: 1 }).page()
    if (total >= wanted && deliveries[0]) return deliveries[0]
  }
  throw new Error(`not ${wanted} deliveries were given up`)
}
