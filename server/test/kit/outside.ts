// The outside world of tests that walk every operation: a provider with a client, a broker that vouches, an MCP server behind OAuth.
import type { Config } from '../../src/base/config.ts'
import { startMcpServer } from '../fakes/mcpServer.ts'
import { startOauthServer } from '../fakes/oauthServer.ts'
import { startReceiver } from './receiver.ts'
import { configuredProvider } from './seed.ts'

export interface Outside {
  /** Settings of a service that can reach it. */
  config: Pick<Config, 'allowPrivateHosts' | 'oauth' | 'brokerUrl' | 'brokerKey'>
  mcpServerUrl: string
}

let started: Promise<Outside> | undefined

/** One for the whole test file, whoever asks. */
export const outside = (): Promise<Outside> => (started ??= start())

async function start(): Promise<Outside> {
  const protectedBy = await startOauthServer()
  const mcpServer = await startMcpServer({ protectedBy })
  const broker = await startReceiver()
  const vouched = { credentials: { type: 'OAUTH2', access_token: 'token-at-the-broker' } }
  broker.answer(200, { 'content-type': 'application/json' }, JSON.stringify(vouched))
  return {
    config: {
      allowPrivateHosts: ['127.0.0.1'],
      oauth: { [configuredProvider]: { client_id: 'client', client_secret: 'client-secret' } },
      brokerUrl: broker.url,
      brokerKey: 'broker-key',
    },
    mcpServerUrl: mcpServer.url,
  }
}
