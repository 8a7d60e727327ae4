// Signing in with a browser: sessions, links that sign in once, and OpenID Connect.
import { feature } from '../../kit/feature.ts'
import { createSignInLink } from './createSignInLink.ts'
import { deleteSession } from './deleteSession.ts'
import { listSessions } from './listSessions.ts'
import { mountOidc } from './oidcRoutes.ts'
import { sealedOidcSecret } from './oidcSignIn.ts'
import { mountSignIn } from './routes.ts'
import { memberSession } from './session.ts'
import { sweepSignIns } from './sweepSignIns.job.ts'

export const signIn = feature({
  name: 'signIn',
  about: 'Sessions of members, and links that sign in once.',
  operations: [listSessions, deleteSession, createSignInLink],
  resources: [memberSession],
  jobs: [sweepSignIns],
  sealed: [sealedOidcSecret],
  routes(app, context) {
    mountSignIn(app, context)
    mountOidc(app, context)
  },
})
