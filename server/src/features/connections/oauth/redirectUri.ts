// Where a provider sends the browser back to: one of our own URLs, which no request can choose.
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'

export const callbackPath = '/oauth/callback'

/**
 * PUBLIC_URL, or our own loopback URL while we listen only there (RFC 8252 §7.3). Anything else might not lead back to us, and a Host
 * header is whatever its sender likes.
 */
export function redirectUriOf({ config, lifecycle }: Pick<Context, 'config' | 'lifecycle'>): string {
  if (config.publicUrl !== undefined) return `${config.publicUrl}${callbackPath}`
  if (!isLoopback(config.host)) {
    throw new Fault(
      'public_url_missing',
      'An OAuth provider must know where to send the browser back to. Set PUBLIC_URL on the server to the URL under which people ' +
        'reach it, start it again, and try again.',
    )
  }
  const port = lifecycle.listeningOn === undefined ? config.port : Number(new URL(lifecycle.listeningOn).port)
  return `http://${config.host === '::1' ? '[::1]' : '127.0.0.1'}:${port}${callbackPath}`
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
