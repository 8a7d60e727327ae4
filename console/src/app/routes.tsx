// Which address shows which screen. A screen's code comes when it is first opened; its search parameters are read by its own search.ts.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type AsyncRouteComponent,
} from '@tanstack/react-router'
import { runQuery } from '../queries/runs.ts'
import { readAgentSearch } from '../screens/agent/search.ts'
import { readAgentsSearch } from '../screens/agents/search.ts'
import { readInboxSearch } from '../screens/inbox/search.ts'
import { readPartsSearch } from '../screens/parts/search.ts'
import { readPeopleSearch } from '../screens/people/search.ts'
import { readRunSearch } from '../screens/run/search.ts'
import { readRunsSearch } from '../screens/runs/search.ts'
import { queryClient } from './client.ts'
import { Frame } from './Frame.tsx'
import { NoSuchScreen } from './NoSuchScreen.tsx'
import { ScreenError } from './ScreenError.tsx'

const root = createRootRoute({ component: Outlet })

/** Everything with the sidebar beside it. */
const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame })

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('../screens/overview/OverviewScreen.tsx'), 'OverviewScreen'),
})

const inbox = createRoute({
  getParentRoute: () => frame,
  path: '/inbox',
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import('../screens/inbox/InboxScreen.tsx'), 'InboxScreen'),
})

const runs = createRoute({
  getParentRoute: () => frame,
  path: '/runs',
  validateSearch: readRunsSearch,
  component: lazyRouteComponent(() => import('../screens/runs/RunsScreen.tsx'), 'RunsScreen'),
})

const run = createRoute({
  getParentRoute: () => frame,
  path: '/runs/$runId',
  validateSearch: readRunSearch,
  // asked for while the code of the screen comes
  loader: ({ params }) => void queryClient.prefetchQuery(runQuery(params.runId)),
  component: lazyRouteComponent(() => import('../screens/run/RunScreen.tsx'), 'RunScreen'),
})

const agents = createRoute({
  getParentRoute: () => frame,
  path: '/agents',
  validateSearch: readAgentsSearch,
  component: lazyRouteComponent(() => import('../screens/agents/AgentsScreen.tsx'), 'AgentsScreen'),
})

const agent = createRoute({
  getParentRoute: () => frame,
  path: '/agents/$agentId',
  validateSearch: readAgentSearch,
  component: lazyRouteComponent(() => import('../screens/agent/AgentScreen.tsx'), 'AgentScreen'),
})

const people = createRoute({
  getParentRoute: () => frame,
  path: '/people',
  validateSearch: readPeopleSearch,
  component: lazyRouteComponent(() => import('../screens/people/PeopleScreen.tsx'), 'PeopleScreen'),
})

/** Where the service sends a browser whose sign-in failed; whoever has a session needs no sign-in. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  beforeLoad: () => redirect({ to: '/', throw: true }),
})

/** Every part of the page in every state, for those who work on it. A built page has no trace of it. */
const partsRoutes = () => [
  createRoute({
    getParentRoute: () => root,
    path: '/_parts',
    validateSearch: readPartsSearch,
    component: lazyRouteComponent(() => import('../screens/parts/PartsScreen.tsx'), 'PartsScreen'),
  }),
]

const tree = root.addChildren([
  frame.addChildren([overview, inbox, runs, run, agents, agent, people]),
  signIn,
  ...(import.meta.env.DEV ? partsRoutes() : []),
])

export const router = createRouter({
  routeTree: tree,
  defaultNotFoundComponent: NoSuchScreen,
  defaultErrorComponent: ScreenError,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

/** Fetches the code of the screen at the address, while the page still asks who is signed in. */
export function fetchScreen(): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const { options } = router.routesById[routeId as keyof typeof router.routesById]
    void (options.component as AsyncRouteComponent<unknown> | undefined)?.preload?.()
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
