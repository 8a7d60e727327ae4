// What the palette can do: commands that parts of the page offer while they are shown.
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { IconName } from '../look/Icon.tsx'

export interface Command {
  id: string
  /** What it does: `Start a run`. */
  label: string
  icon: IconName
  /** More words under which it is found. */
  words?: string
  /** Why it cannot be done; undefined: it can. */
  unable?: string | undefined
  run: () => void
}

let offered: Command[] = []
const listeners = new Set<() => void>()

function change(next: Command[]): void {
  offered = next
  for (const listener of listeners) listener()
}

export function useCommands(commands: Command[]): void {
  const run = useEffectEvent((id: string) => commands.find((command) => command.id === id)?.run())
  const described = JSON.stringify(commands)
  useEffect(() => {
    const mine = (JSON.parse(described) as Omit<Command, 'run'>[]).map((command) => ({
      ...command,
      run: () => run(command.id),
    }))
    change([...mine, ...offered])
    return () => change(offered.filter((command) => !mine.includes(command)))
  }, [described])
}

export const useOfferedCommands = (): Command[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => offered,
  )
