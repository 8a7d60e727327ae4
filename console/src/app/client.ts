// The SDK, with which the page asks the service for everything. The cookie of the session signs each request.
import { QueryClient, QueryCache, MutationCache } from '@tanstack/react-query'
import { ApiError, NotSignedInError, Runyard } from '@runyard/sdk'

export const runyard = new Runyard({
  baseUrl: window.location.origin,
  // a page of another origin cannot send it, so the service knows that it is us
  headers: { 'x-runyard-client': 'console' },
})

type Listener = () => void
const signedOut = new Set<Listener>()

/** Called when the service no longer knows the session. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener)
  return () => signedOut.delete(listener)
}

export function noticeError(error: unknown): void {
  if (error instanceof NotSignedInError) for (const listener of signedOut) listener()
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeError }),
  mutationCache: new MutationCache({ onError: noticeError }),
  defaultOptions: {
    // the SDK tries again by itself; live events tell what has changed
    queries: { retry: false, staleTime: 30_000 },
    mutations: { retry: false },
  },
})

/** What went wrong, as a sentence for a person. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.requestId : undefined
