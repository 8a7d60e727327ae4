// The fetch to the providers: reused connections, no redirects, and an end to streams on which nothing comes any more.
import type { RequestInit as UndiciRequestInit } from 'undici'

export type ModelFetch = typeof globalThis.fetch

/** Operators give these URLs, not users, so the outbound guard is not needed here. */
export function createModelFetch(idleMs: number): { fetch: ModelFetch; close: () => Promise<void> } {
  let isClosed = false
  let opened: ReturnType<typeof open> | undefined

  // Loading undici takes a tenth of a start, and a process without a provider needs none of it.
  async function open() {
    const { Agent, fetch } = await import('undici')
    // A local model may read a long prompt for minutes before its first byte; after that a silence means trouble.
    const agent = new Agent({
      bodyTimeout: idleMs,
      headersTimeout: Math.max(idleMs, 300_000),
      keepAliveTimeout: 30_000,
      // One connection a request: when one breaks, no other stream breaks with it.
      allowH2: false,
    })
    return { agent, undiciFetch: fetch }
  }

  return {
    async fetch(input, init) {
      if (isClosed) throw new Error('The service is shutting down.')
      const { agent, undiciFetch } = await (opened ??= open())
      // A redirect would send the key to another host. The cast: Node's types are of another release of undici.
      const options = { ...init, redirect: 'manual', dispatcher: agent } as unknown as UndiciRequestInit
      return undiciFetch(input as string | URL, options)
    },
    async close() {
      isClosed = true
      await (await opened)?.agent.destroy()
    },
  }
}
