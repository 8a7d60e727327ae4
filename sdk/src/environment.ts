// What differs between the runtimes of the SDK: Node, Bun, Deno, browsers.
import { RunyardError } from './errors.ts'

/** The same as in package.json; a test compares them. */
export const version = '0.6.2'

/** Undefined where there is no environment. */
export function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/** The version of Node, which Bun and Deno have too; undefined in a browser and its workers. */
function nodeVersion(): string | undefined {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  return process?.versions?.node
}

export const isBrowser = (): boolean => nodeVersion() === undefined

/** A browser sends its own, and lets nobody change it. */
export const userAgent = (): Record<string, string> =>
  isBrowser() ? {} : { 'user-agent': `runyard-sdk/${version} node/${nodeVersion()}` }

/** Where the page came from; a page of a file has no such place. */
export function pageOrigin(): string {
  const { location } = globalThis as { location?: { origin?: string } }
  const origin = location?.origin
  if (origin === undefined || origin === 'null')
    throw new RunyardError('baseUrl is empty, and this is no page of a service.')
  return origin
}

type WebCrypto = typeof globalThis.crypto

/** Node 18 has it only as a module. The name is not a literal, so that bundlers for browsers do not look for it. */
export async function webCrypto(): Promise<WebCrypto> {
  if (globalThis.crypto as WebCrypto | undefined) return globalThis.crypto
  const name = 'node:crypto'
  const { webcrypto } = (await import(/* @vite-ignore */ name)) as { webcrypto: WebCrypto }
  return webcrypto
}
