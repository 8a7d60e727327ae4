// What an approval of a call with a connection is bound to: the connection, its maker, its credential and URL, and the tool.
import { outdated } from '../../../engine/driving/approvedCall.ts'
import type { Bound } from '../../../kit/tool.ts'
import type { Connection } from '../store/connection.ts'

/** `given` counts how often people gave it a credential: a token that was only renewed is the same credential. */
export const boundTo = (
  { id, server_url, user_id, given }: Pick<Connection, 'id' | 'server_url' | 'user_id'> & { given: number },
  toolHash?: string,
): Bound => ({
  connection_id: id,
  server_url,
  maker: user_id,
  given,
  ...(toolHash !== undefined && { tool: toolHash }),
})

export const outdatedConnection = outdated('its connection')
