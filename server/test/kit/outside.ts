// The outside world of tests that walk every operation: a provider with a client, a broker that vouches, an MCP server behind OAuth.
import { after } from 'node:test'
import type { Config } from '../../src/base/config.ts'
import { startFakeAnthropic } from '../fakes/anthropic.ts'
import { startMcpServer } from '../fakes/mcpServer.ts'
import { startOauthServer } from '../fakes/oauthServer.ts'
import { startReceiver } from './receiver.ts'
import { configuredProvider } from './seed.ts'

export interface Outside {
  /** Settings of a service that can reach it. */
  config: Pick<
    Config,
    | 'anthropicUrl'
    | 'openaiUrl'
    | 'googleUrl'
    | 'openaiCompatibleUrl'
    | 'allowPrivateHosts'
    | 'oauth'
    | 'brokerUrl'
    | 'brokerKey'
    | 'smtp'
    | 'mailFrom'
    | 'systemTeams'
  >
  mcpServerUrl: string
}

let started: Promise<Outside> | undefined

/** One for the whole test file, whoever asks. */
export const outside = (): Promise<Outside> => (started ??= start())

async function start(): Promise<Outside> {
  const protectedBy = await startOauthServer()
  const mcpServer = await startMcpServer({ protectedBy })
  const provider = await startFakeAnthropic()
  after(() => provider.close())
  const broker = await startReceiver()
  const vouched = { credentials: { type: 'OAUTH2', access_token: 'token-at-the-broker' } }
  broker.answer(200, { 'content-type': 'application/json' }, JSON.stringify(vouched))
  return {
    config: {
      allowPrivateHosts: ['127.0.0.1'],
      // takes every key, and is asked for nothing else: no agent of these tests names a model
      anthropicUrl: provider.url,
      openaiUrl: provider.url,
      googleUrl: provider.url,
      openaiCompatibleUrl: provider.url,
      // no worker sends anything here
      smtp: { host: '127.0.0.1', port: 9, isTls: false, user: undefined, password: undefined },
      mailFrom: { name: 'Runyard', address: 'runyard@example.com' },
      oauth: { [configuredProvider]: { client_id: 'client', client_secret: 'client-secret' } },
      brokerUrl: broker.url,
      brokerKey: 'broker-key',
      // each team of these tests may read everything once
      systemTeams: ['*'],
    },
    mcpServerUrl: mcpServer.url,
  }
}
