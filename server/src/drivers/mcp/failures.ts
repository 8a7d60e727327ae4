// How an exchange with an MCP server fails: it wants another authorisation, or it cannot be used.
import type { Challenge } from '../oauth/challenge.ts'
import { cleaned } from '../oauth/grant.ts'

/** The server does not accept the credential, or wants one that may do more. */
export class McpUnauthorized extends Error {
  override name = 'McpUnauthorized'
  readonly status: 401 | 403
  readonly challenge: Challenge

  constructor(host: string, status: 401 | 403, challenge: Challenge) {
    const wants = challenge.scope ? ` It wants the scopes ${cleaned(challenge.scope, [])}.` : ''
    super(status === 401 ? `${host} does not accept the credential.` : `${host} does not allow this.${wants}`)
    this.status = status
    this.challenge = challenge
  }
}

/** Network, a server that breaks the protocol, or one that answers with too much. Its message is a sentence without secrets. */
export class McpTrouble extends Error {
  override name = 'McpTrouble'
}
