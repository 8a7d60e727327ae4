// Keys of the keyboard that do something. Each has a visible twin; none works while somebody types.
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { setting } from './settings.ts'

export interface KeyBinding {
  /** `j`, `?`, `Enter`, `mod+k` (Ctrl, or ⌘ on a Mac), or two keys one after the other: `g r`. */
  keys: string
  /** What it does, for the list of keys. */
  says: string
  /** Under which heading the list has it. */
  where: string
  run: (event: KeyboardEvent) => void
  /** Also works while somebody types: only for keys with Ctrl or ⌘. */
  whileTyping?: boolean
}

interface Registered extends KeyBinding {
  order: number
}

let registered: Registered[] = []
let order = 0
const listeners = new Set<() => void>()

function change(next: Registered[]): void {
  registered = next
  for (const listener of listeners) listener()
}

/** The keys work while the part is shown. The part that came last goes before the others. */
export function useKeys(bindings: KeyBinding[]): void {
  const run = useEffectEvent((keys: string, event: KeyboardEvent) =>
    bindings.find((binding) => binding.keys === keys)?.run(event),
  )
  const described = JSON.stringify(
    bindings.map(({ keys, says, where, whileTyping }) => ({ keys, says, where, whileTyping })),
  )
  useEffect(() => {
    order += 1
    const mine = (JSON.parse(described) as Omit<KeyBinding, 'run'>[]).map((binding) => ({
      ...binding,
      order,
      run: (event: KeyboardEvent) => run(binding.keys, event),
    }))
    change([...registered, ...mine])
    return () => change(registered.filter((binding) => !mine.includes(binding)))
  }, [described])
}

/** Every key that works now, for the list of keys. */
export const useRegisteredKeys = (): KeyBinding[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => registered,
  )

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent)

/** `mod+k` as it is written on the keys. */
export function keyCaps(keys: string): string[] {
  const caps: Record<string, string> = {
    mod: isMac() ? '⌘' : 'Ctrl',
    Enter: '↵',
    Escape: 'Esc',
    ArrowDown: '↓',
    ArrowUp: '↑',
  }
  // the plus joins others, and is a key itself
  if (keys === '+') return ['+']
  return keys.split(/[+ ]/).map((key) => caps[key] ?? (key.length === 1 ? key.toUpperCase() : key))
}

const sequenceMs = 1200

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)) &&
    !(target instanceof HTMLInputElement && ['checkbox', 'radio', 'button'].includes(target.type))
  )
}

/** Where focus is inside of something that floats, the keys of the page below it are off. */
const floats = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null

const nameOf = (event: KeyboardEvent): string =>
  `${event.ctrlKey || event.metaKey ? 'mod+' : ''}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`

/** Listens for the whole page; called once. */
export function listenForKeys(): () => void {
  // When each was pressed, which a busy page learns later.
  let before: { key: string; at: number } | undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return
    const name = nameOf(event)
    const isPlain = !name.startsWith('mod+')
    const first = before && event.timeStamp - before.at < sequenceMs ? before.key : undefined
    before = isPlain ? { key: name, at: event.timeStamp } : undefined
    if (isPlain && (setting('keys') === 'off' || isTyping(event.target) || floats(event.target))) return
    const sequence = first === undefined ? undefined : `${first} ${name}`
    const candidates = registered.filter(
      ({ keys, whileTyping }) =>
        (keys === sequence || keys === name) && (isPlain || whileTyping === true || !isTyping(event.target)),
    )
    const found = candidates.sort(
      (one, other) => Number(other.keys === sequence) - Number(one.keys === sequence) || other.order - one.order,
    )[0]
    if (!found) return
    before = undefined
    event.preventDefault()
    found.run(event)
  }
  window.addEventListener('keydown', onKeyDown)
  return () => window.removeEventListener('keydown', onKeyDown)
}
