// A line in which callers take turns: what one caller puts into it waits for itself, never for all that another caller put there.

export interface TurnLine<T> {
  add(caller: string, item: T): void
  /** The item whose turn it is. */
  first(): T | undefined
  /** Takes that item out; the next turn is another caller's, if one waits. */
  take(): T | undefined
  remove(caller: string, item: T): void
  isEmpty(): boolean
}

export function createTurnLine<T>(): TurnLine<T> {
  const byCaller = new Map<string, T[]>()
  const firstEntry = () => byCaller.entries().next().value
  return {
    add(caller, item) {
      const own = byCaller.get(caller)
      if (own) own.push(item)
      else byCaller.set(caller, [item])
    },
    first: () => firstEntry()?.[1][0],
    take() {
      const entry = firstEntry()
      if (!entry) return undefined
      const [caller, own] = entry
      byCaller.delete(caller)
      const item = own.shift()
      if (own.length > 0) byCaller.set(caller, own)
      return item
    },
    remove(caller, item) {
      const own = byCaller.get(caller)
      if (!own) return
      const left = own.filter((other) => other !== item)
      if (left.length > 0) byCaller.set(caller, left)
      else byCaller.delete(caller)
    },
    isEmpty: () => byCaller.size === 0,
  }
}
