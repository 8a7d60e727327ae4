// Watches a model while it writes: reports each heading of the procedure as it comes, and notices when nobody wants the result any more.

interface WritingProgress {
  /** A piece of the answer, which is JSON. */
  hear: (delta: string) => void
  /** Reports nothing more from now on; resolves when what was begun is written. */
  end: () => Promise<void>
  /** The headings that came and were not reported. */
  left: () => string[]
}

const everyMs = 1000
const linesMax = 20

/** A heading inside a JSON string: its line ends are written out. */
const heading = /(?:"|\\n)#{1,3} ([^"\\\n]{1,80})\\n/
const headingLengthMax = 100

/**
 * `report` is called once a second, also with no lines. `lost`: it failed, which ends the work: the builder run is not ours any more, or
 * the database is away.
 */
export function followWriting(
  turn: number,
  report: (lines: string[]) => Promise<void>,
  lost: (error: unknown) => void,
): WritingProgress {
  let text = ''
  let told = 0
  const waiting: string[] = []
  let reporting: Promise<void> | undefined

  const timer = setInterval(() => {
    // a slow write is not overtaken by the next one
    reporting ??= report(waiting.splice(0))
      .catch(lost)
      .finally(() => (reporting = undefined))
  }, everyMs)

  return {
    hear(delta) {
      text += delta
      for (let match = heading.exec(text); match; match = heading.exec(text)) {
        // the end of one line is also the beginning of the next
        text = text.slice(match.index + match[0].length - 2)
        if (++told <= linesMax) waiting.push(`Turn ${turn}: writing “${match[1]!.trim()}”.`)
      }
      text = text.slice(-headingLengthMax)
    },
    async end() {
      clearInterval(timer)
      await reporting
    },
    left: () => waiting.splice(0),
  }
}
