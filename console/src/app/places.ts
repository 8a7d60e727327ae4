// The places of the page, in the order of the sidebar: what they are called, and the key after `g` that leads there.
import type { IconName } from '../look/Icon.tsx'

export interface Place {
  to:
    | '/'
    | '/inbox'
    | '/runs'
    | '/agents'
    | '/queues'
    | '/artifacts'
    | '/connections'
    | '/events'
    | '/sandboxes'
    | '/alerts'
    | '/evaluations'
    | '/usage'
    | '/people'
    | '/system'
  name: string
  icon: IconName
  key: string
  /** A line above it separates it from those before. */
  begins?: boolean
  /** Whether the bar at the bottom of a phone has it; the palette has all. */
  isOnPhone?: boolean
}

export const places: Place[] = [
  { to: '/', name: 'Overview', icon: 'overview', key: 'o', isOnPhone: true },
  { to: '/inbox', name: 'Inbox', icon: 'inbox', key: 'i', isOnPhone: true },
  { to: '/runs', name: 'Runs', icon: 'runs', key: 'r', isOnPhone: true },
  { to: '/agents', name: 'Agents', icon: 'agents', key: 'a', isOnPhone: true },
  { to: '/queues', name: 'Queues', icon: 'queues', key: 'q' },
  { to: '/artifacts', name: 'Artifacts', icon: 'artifacts', key: 't' },
  { to: '/sandboxes', name: 'Sandboxes', icon: 'sandboxes', key: 'x' },
  { to: '/connections', name: 'Connections', icon: 'connections', key: 'c', begins: true },
  { to: '/events', name: 'Events', icon: 'events', key: 'e' },
  { to: '/alerts', name: 'Alerts', icon: 'bell', key: 'l' },
  { to: '/evaluations', name: 'Evaluations', icon: 'evaluations', key: 'v' },
  { to: '/usage', name: 'Usage', icon: 'usage', key: 'u' },
  { to: '/people', name: 'Keys and members', icon: 'keys', key: 'p' },
  { to: '/system', name: 'System', icon: 'system', key: 's' },
]
