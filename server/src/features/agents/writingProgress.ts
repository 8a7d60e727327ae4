// Tells how far a model is with its writing: each heading of the procedure as it comes, at most twice a second.

export interface WritingProgress {
  /** A piece of the answer, which is JSON. */
  hear: (delta: string) => void
  /** No more is told from now on; resolves when what was begun is written. */
  end: () => Promise<void>
  /** What was heard and not told. */
  left: () => string[]
}

const pauseMs = 500
const linesMax = 20

/** A heading inside a JSON string: its line ends are written out. */
const heading = /(?:"|\\n)#{1,3} ([^"\\\n]{1,80})\\n/
const headingLengthMax = 100

/** `lost`: called when telling failed, which ends the work: the builder run is not ours any more, or the database is away. */
export function followWriting(
  turn: number,
  tell: (lines: string[]) => Promise<void>,
  lost: (error: unknown) => void,
): WritingProgress {
  let text = ''
  let told = 0
  let waiting: string[] = []
  let timer: NodeJS.Timeout | undefined
  let telling = Promise.resolve()

  function flush(): void {
    timer = undefined
    const lines = waiting
    waiting = []
    telling = telling.then(() => tell(lines)).catch(lost)
  }

  return {
    hear(delta) {
      text += delta
      for (let match = heading.exec(text); match; match = heading.exec(text)) {
        // the end of one line is also the beginning of the next
        text = text.slice(match.index + match[0].length - 2)
        if (++told > linesMax) continue
        waiting.push(`Turn ${turn}: writing “${match[1]!.trim()}”.`)
        timer ??= setTimeout(flush, pauseMs)
      }
      text = text.slice(-headingLengthMax)
    },
    async end() {
      clearTimeout(timer)
      await telling
    },
    left: () => waiting,
  }
}
