// What a person set for this browser: theme, zone of times, keys, notifications. Kept in the browser alone.
import { useSyncExternalStore } from 'react'
import { keepForTabs, listenToKept, storageOfBrowser } from '../parts/browserStorage.ts'

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
  /** Where the tour is. */
  tour: 'none' | 'overview' | 'runs' | 'run' | 'inbox' | 'agent'
}

const choices: { [Name in keyof Settings]: Settings[Name][] } = {
  theme: ['system', 'light', 'dark'],
  zone: ['local', 'utc'],
  keys: ['on', 'off'],
  notify: ['off', 'on'],
  firstSteps: ['shown', 'hidden'],
  tour: ['none', 'overview', 'runs', 'run', 'inbox', 'agent'],
}

const place = (name: string): string => `runyard.${name}`

/** The usual one, unless the browser keeps another. */
export function setting<Name extends keyof Settings>(name: Name): Settings[Name] {
  const kept = storageOfBrowser()?.getItem(place(name))
  const [usual] = choices[name]
  const found = choices[name].find((choice) => choice === kept)
  return (found ?? usual) as Settings[Name]
}

export function set<Name extends keyof Settings>(name: Name, value: Settings[Name]): void {
  keepForTabs(place(name), value)
}

export const useSetting = <Name extends keyof Settings>(name: Name): Settings[Name] =>
  useSyncExternalStore(listenToKept, () => setting(name))

/** Puts the theme on the page, and another one when the system or another tab changes it; tokens.css does the rest. */
export function followTheme(): void {
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const put = () => {
    const theme = setting('theme')
    document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme
  }
  put()
  system.addEventListener('change', put)
  listenToKept(put)
}

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const zoneOf = (zone: Settings['zone']): string => (zone === 'utc' ? 'UTC' : localZone())
