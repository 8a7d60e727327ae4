// The places of the page, in the order of the sidebar: what they are called, and the key after `g` that leads there.
import type { IconName } from '../look/Icon.tsx'

export interface Place {
  to: '/' | '/inbox' | '/runs' | '/agents' | '/people'
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
  { to: '/people', name: 'Keys and members', icon: 'keys', key: 'p', begins: true },
]
