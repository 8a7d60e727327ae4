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
import { readAlertsSearch } from '../screens/alerts/search.ts'
import { readArtifactSearch } from '../screens/artifact/search.ts'
import { readArtifactsSearch } from '../screens/artifacts/search.ts'
import { readConnectionSearch } from '../screens/connection/search.ts'
import { readConnectionsSearch } from '../screens/connections/search.ts'
import { readEventsSearch } from '../screens/events/search.ts'
import { readEvaluationsSearch } from '../screens/evaluations/search.ts'
import { readInboxSearch } from '../screens/inbox/search.ts'
import { readPartsSearch } from '../screens/parts/search.ts'
import { readPeopleSearch } from '../screens/people/search.ts'
import { readQueueSearch } from '../screens/queue/search.ts'
import { readQueuesSearch } from '../screens/queues/search.ts'
import { readRunSearch } from '../screens/run/search.ts'
import { readRunsSearch } from '../screens/runs/search.ts'
import { readUsageSearch } from '../screens/usage/search.ts'
import { readSandboxSearch } from '../screens/sandbox/search.ts'
import { readSandboxesSearch } from '../screens/sandboxes/search.ts'
import { readSystemSearch } from '../screens/system/search.ts'
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

const sandboxes = createRoute({
  getParentRoute: () => frame,
  path: '/sandboxes',
  validateSearch: readSandboxesSearch,
  component: lazyRouteComponent(() => import('../screens/sandboxes/SandboxesScreen.tsx'), 'SandboxesScreen'),
})

const sandbox = createRoute({
  getParentRoute: () => frame,
  path: '/sandboxes/$sandboxId',
  validateSearch: readSandboxSearch,
  component: lazyRouteComponent(() => import('../screens/sandbox/SandboxScreen.tsx'), 'SandboxScreen'),
})

const queues = createRoute({
  getParentRoute: () => frame,
  path: '/queues',
  validateSearch: readQueuesSearch,
  component: lazyRouteComponent(() => import('../screens/queues/QueuesScreen.tsx'), 'QueuesScreen'),
})

const queue = createRoute({
  getParentRoute: () => frame,
  path: '/queues/$queueId',
  validateSearch: readQueueSearch,
  component: lazyRouteComponent(() => import('../screens/queue/QueueScreen.tsx'), 'QueueScreen'),
})

const oneCase = createRoute({
  getParentRoute: () => frame,
  path: '/cases/$caseId',
  component: lazyRouteComponent(() => import('../screens/case/CaseScreen.tsx'), 'CaseScreen'),
})

const connections = createRoute({
  getParentRoute: () => frame,
  path: '/connections',
  validateSearch: readConnectionsSearch,
  component: lazyRouteComponent(() => import('../screens/connections/ConnectionsScreen.tsx'), 'ConnectionsScreen'),
})

const connection = createRoute({
  getParentRoute: () => frame,
  path: '/connections/$connectionId',
  validateSearch: readConnectionSearch,
  component: lazyRouteComponent(() => import('../screens/connection/ConnectionScreen.tsx'), 'ConnectionScreen'),
})

const events = createRoute({
  getParentRoute: () => frame,
  path: '/events',
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => import('../screens/events/EventsScreen.tsx'), 'EventsScreen'),
})

const alerts = createRoute({
  getParentRoute: () => frame,
  path: '/alerts',
  validateSearch: readAlertsSearch,
  component: lazyRouteComponent(() => import('../screens/alerts/AlertsScreen.tsx'), 'AlertsScreen'),
})

const people = createRoute({
  getParentRoute: () => frame,
  path: '/people',
  validateSearch: readPeopleSearch,
  component: lazyRouteComponent(() => import('../screens/people/PeopleScreen.tsx'), 'PeopleScreen'),
})

const artifacts = createRoute({
  getParentRoute: () => frame,
  path: '/artifacts',
  validateSearch: readArtifactsSearch,
  component: lazyRouteComponent(() => import('../screens/artifacts/ArtifactsScreen.tsx'), 'ArtifactsScreen'),
})

const artifact = createRoute({
  getParentRoute: () => frame,
  path: '/artifacts/$artifactId',
  validateSearch: readArtifactSearch,
  component: lazyRouteComponent(() => import('../screens/artifact/ArtifactScreen.tsx'), 'ArtifactScreen'),
})

const evaluations = createRoute({
  getParentRoute: () => frame,
  path: '/evaluations',
  validateSearch: readEvaluationsSearch,
  component: lazyRouteComponent(() => import('../screens/evaluations/EvaluationsScreen.tsx'), 'EvaluationsScreen'),
})

const usage = createRoute({
  getParentRoute: () => frame,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('../screens/usage/UsageScreen.tsx'), 'UsageScreen'),
})

const system = createRoute({
  getParentRoute: () => frame,
  path: '/system',
  validateSearch: readSystemSearch,
  component: lazyRouteComponent(() => import('../screens/system/SystemScreen.tsx'), 'SystemScreen'),
})

const notifications = createRoute({
  getParentRoute: () => frame,
  path: '/notifications',
  component: lazyRouteComponent(
    () => import('../screens/notifications/NotificationsScreen.tsx'),
    'NotificationsScreen',
  ),
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
  frame.addChildren([
    overview,
    inbox,
    runs,
    run,
    agents,
    agent,
    queues,
    queue,
    oneCase,
    artifacts,
    artifact,
    connections,
    connection,
    events,
    alerts,
    evaluations,
    usage,
    sandboxes,
    sandbox,
    people,
    system,
    notifications,
  ]),
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
