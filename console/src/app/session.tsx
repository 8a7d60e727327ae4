// Who is signed in, and what they may do. Without a session every address of the page shows the ways in.
import type { Profile } from '@runyard/sdk'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, lazy, Suspense, use, useEffect, useState, type ReactNode } from 'react'
import { NotSignedInError } from '@runyard/sdk'
import { onSignedOut, queryClient, runyard } from './client.ts'
import { WholePageError, WholePageWait } from './wholePage.tsx'
import { takeLinkFromAddress } from './signInLink.ts'

export type Scope = Profile['scopes'][number]

export interface Session {
  profile: Profile
  /** Undefined: yes. Otherwise a sentence that says what is missing, for a button that explains itself. */
  unable: (scope: Scope) => string | undefined
  signOut: () => Promise<void>
}

/** Who has a session does not need it. */
const SignInScreen = lazy(() => import('../screens/signIn/SignInScreen.tsx'))

const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession outside of SessionProvider')
  return session
}

const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: async ({ signal }) => {
    await takeLinkFromAddress()
    return (await runyard.teams.profile({ signal })).profile
  },
  staleTime: Infinity,
})

/** Before the code of a screen is fetched: a browser has few connections. */
export const askWho = (): void => void queryClient.prefetchQuery(profileQuery)

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [hasEnded, setEnded] = useState(false)
  const { data: profile, error, refetch } = useQuery(profileQuery)

  useEffect(() => onSignedOut(() => setEnded(true)), [])

  // what one person saw must not be there for the next one
  function begin() {
    queries.clear()
    setEnded(false)
    void refetch()
  }

  if (error instanceof NotSignedInError || (hasEnded && !error))
    return (
      <Suspense fallback={<WholePageWait />}>
        <SignInScreen hadSession={profile !== undefined} onSignedIn={begin} />
      </Suspense>
    )
  if (error) return <WholePageError error={error} onRetry={() => void refetch()} />
  if (!profile) return <WholePageWait />
  const session: Session = {
    profile,
    unable: (scope) =>
      profile.scopes.includes(scope) || profile.scopes.includes('*')
        ? undefined
        : `You need the scope ${scope} for this. Your role is ${profile.role}; an admin of the team can change it.`,
    async signOut() {
      await runyard.request('POST', '/auth/sign-out')
      queries.clear()
      setEnded(true)
      await refetch()
    },
  }
  return <SessionContext value={session}>{children}</SessionContext>
}
