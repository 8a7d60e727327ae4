// Sends the browser to the provider of an account; it comes back to where it was. Runs that wait are remembered, so that one sees them continue.
import type { Connection } from '@runyard/sdk'
import { runyard } from '../../app/client.ts'
import { storageOfTab } from '../browserStorage.ts'

/** Why nothing was connected, by the code that the service gives. */
const endings: Record<string, string> = {
  access_denied: 'Access was not allowed at the provider. Nothing was changed.',
  refused: 'The provider refused. Nothing was changed. Begin again; if it stays, the operator checks the OAuth client.',
  unreachable: 'The provider could not be reached. Nothing was changed. Begin again in a moment.',
  internal_error:
    'The service failed to carry this out. Nothing was changed. Begin again; the log of the service has the reason.',
}

export const endingWords = (error: string | undefined): string =>
  endings[error ?? ''] ?? `Nothing was connected${error === undefined ? '' : ` (${error})`}. Begin again.`

/** A server of a stranger says where the browser goes: only to a web page. */
function leaveFor(url: string): void {
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Error('The provider gave a URL that is not a web page.')
  window.location.assign(url)
}

const here = (path: string): string => `${window.location.origin}${path}`

export async function connectProvider(provider: string): Promise<void> {
  const { authorization_url } = await runyard.connections.startNativeOAuth(provider, {
    return_url: here('/connections'),
  })
  leaveFor(authorization_url)
}

export async function connectMcp(name: string, url: string): Promise<void> {
  const { authorization_url } = await runyard.connections.authorizeMcpOAuth({
    mcp_server_url: url,
    name,
    return_url: here('/connections'),
  })
  leaveFor(authorization_url)
}

export async function authorizeAgain(connection: Connection, waiting: string[]): Promise<void> {
  const { id, provider, type, server_url: url } = connection
  const again = { reconnect_connection_id: id, return_url: here(`/connections/${id}`) }
  const { authorization_url } =
    type === 'mcp'
      ? await runyard.connections.authorizeMcpOAuth({ mcp_server_url: url ?? '', ...again })
      : await runyard.connections.startNativeOAuth(provider, again)
  rememberWaiting(id, waiting)
  leaveFor(authorization_url)
}

const place = (id: string): string => `runyard.waited.${id}`

/** For this tab: who connects again wants to see that they continue. */
export function rememberWaiting(id: string, runs: string[]): void {
  if (runs.length > 0) storageOfTab()?.setItem(place(id), JSON.stringify(runs.slice(0, 20)))
}

export function waitedFor(id: string): string[] {
  try {
    const kept: unknown = JSON.parse(storageOfTab()?.getItem(place(id)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

export const forgetWaiting = (id: string): void => storageOfTab()?.removeItem(place(id))
