// What a person set for this browser: theme, zone of times, keys, notifications. Kept in the browser alone.
import { useSyncExternalStore } from 'react'

interface Settings {
  theme: 'system' | 'light' | 'dark'
  /** The zone in which times are shown: that of the browser, or UTC. */
  zone: 'local' | 'utc'
  /** Whether single keys do something. */
  keys: 'on' | 'off'
  /** Whether the browser tells of new requests. */
  notify: 'on' | 'off'
  /** The first steps of the overview. */
  firstSteps: 'shown' | 'hidden'
}

const choices: { [Name in keyof Settings]: Settings[Name][] } = {
  theme: ['system', 'light', 'dark'],
  zone: ['local', 'utc'],
  keys: ['on', 'off'],
  notify: ['off', 'on'],
  firstSteps: ['shown', 'hidden'],
}

const place = (name: string): string => `runyard.${name}`

const listeners = new Set<() => void>()

/** A browser that forbids storage has only the usual values. */
function storage(): Storage | undefined {
  try {
    return window.localStorage
  } catch {
    return undefined
  }
}

export function setting<Name extends keyof Settings>(name: Name): Settings[Name] {
  const kept = storage()?.getItem(place(name))
  const [usual] = choices[name]
  const found = choices[name].find((choice) => choice === kept)
  return (found ?? usual) as Settings[Name]
}

export function set<Name extends keyof Settings>(name: Name, value: Settings[Name]): void {
  storage()?.setItem(place(name), value)
  apply()
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  // another tab may change it
  window.addEventListener('storage', listener)
  listeners.add(listener)
  return () => {
    window.removeEventListener('storage', listener)
    listeners.delete(listener)
  }
}

export const useSetting = <Name extends keyof Settings>(name: Name): Settings[Name] =>
  useSyncExternalStore(listen, () => setting(name))

/** Puts the theme on the page; tokens.css does the rest. */
export function apply(): void {
  const theme = setting('theme')
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const zoneOf = (zone: Settings['zone']): string => (zone === 'utc' ? 'UTC' : localZone())
