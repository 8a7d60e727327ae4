// Refuses a browser that was led here under somebody else's name: the Host and Origin checks that MCP asks for.
import { isIP } from 'node:net'
import { Fault } from '../base/errors.ts'

/**
 * A page that makes its own name point at us (DNS rebinding) arrives with that name as Host. A stranger cannot make an IP address,
 * `localhost` or a name without a dot point to us. Any other name must be the one under which users reach us. A page of another origin says
 * so itself (MCP 2025-11-25, basic/transports, Security Warning).
 */
export function requireOwnAddress(baseUrl: string, host: string | undefined, origin: string | undefined): void {
  const own = new URL(baseUrl)
  const asked = host === undefined ? undefined : URL.parse(`http://${host}`)
  if (!asked || !(asked.hostname === own.hostname || isLocalName(asked.hostname))) {
    const says = `This server answers to ${own.host}, not to the Host of this request. Use that URL, or set PUBLIC_URL to yours.`
    throw new Fault('forbidden', says)
  }
  if (origin === undefined || origin === own.origin || URL.parse(origin)?.host === asked.host) return
  throw new Fault(
    'forbidden',
    `Pages of another origin may not call this. Call it from ${own.origin}, or without a browser.`,
  )
}

const isLocalName = (name: string): boolean => !name.includes('.') || isIP(name.replace(/^\[|\]$/g, '')) !== 0
