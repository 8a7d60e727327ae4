// Work that runs once at a time: a call during a round gets one more round after it, and all such calls share that round.

interface OnceMoreOptions<Wanted> {
  run: (wanted: Wanted) => Promise<void>
  /** Merges what two calls during the same round want; without it the last one counts. */
  merge?: (first: Wanted, second: Wanted) => Wanted
  /** Called when a round failed; the next one still runs. */
  onError: (error: unknown) => void
  /** Called when a round has ended and nobody asked for another. */
  onRest?: () => void
}

export interface OnceMore<Wanted> {
  ask(wanted: Wanted): void
  isRunning(): boolean
  /** Resolves when nothing runs and nothing more is wanted. */
  settled(): Promise<void>
}

export function createOnceMore<Wanted = void>({
  run,
  merge,
  onError,
  onRest,
}: OnceMoreOptions<Wanted>): OnceMore<Wanted> {
  // set before the first round begins: the work itself may ask while it begins
  let isUnderWay = false
  let rounds: Promise<void> | undefined
  let next: { wanted: Wanted } | undefined

  async function round(first: Wanted): Promise<void> {
    for (let now: { wanted: Wanted } | undefined = { wanted: first }; now; now = takeNext()) {
      await run(now.wanted).catch(onError)
    }
    isUnderWay = false
    onRest?.()
  }

  function takeNext(): { wanted: Wanted } | undefined {
    const taken = next
    next = undefined
    return taken
  }

  return {
    ask(wanted) {
      if (isUnderWay) {
        next = { wanted: next && merge ? merge(next.wanted, wanted) : wanted }
        return
      }
      isUnderWay = true
      rounds = round(wanted)
    },
    isRunning: () => isUnderWay,
    async settled() {
      await rounds
    },
  }
}
