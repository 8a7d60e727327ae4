// Messages of the Model Context Protocol, for programs that speak it themselves.
import type { CallOptions } from './call.ts'
import { Group } from './group.ts'
import type { CallMcpAnswer, CallMcpInput } from './generated/types.ts'

export class Mcp extends Group {
  /** One message; undefined is the answer to a notification. */
  async call(
    message: CallMcpInput,
    { toolsets, readonly, ...options }: CallOptions & { toolsets?: readonly string[]; readonly?: boolean } = {},
  ): Promise<CallMcpAnswer | undefined> {
    const response = await this.client.send('POST', '/v2/mcp', {
      ...options,
      body: message,
      query: { ...(toolsets && { toolsets }), ...(readonly && { readonly: '1' }) },
    })
    const text = await response.text()
    return text === '' ? undefined : (JSON.parse(text) as CallMcpAnswer)
  }
}
