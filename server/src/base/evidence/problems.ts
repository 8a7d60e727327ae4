// What does not fit in a bundle, in the order in which it was found; of many, only the first are listed.

export interface Problem {
  /** A file, a row of it such as `runs/…/events.jsonl row 7`, or a part of the archive such as `run.json header`. */
  where: string
  /** Sentences. */
  what: string
}

const listedMax = 100
/** Names are those of a stranger. */
const whereMax = 600

export class Problems {
  readonly listed: Problem[] = []
  count = 0
  /** Files that are known to be wrong: what follows from that is not a problem of its own. */
  readonly wrongFiles = new Set<string>()

  add(where: string, what: string): void {
    this.count += 1
    if (this.listed.length < listedMax) this.listed.push({ where: where.slice(0, whereMax), what })
  }

  /** A problem of the content of a file. */
  addIn(path: string, what: string, row?: number): void {
    this.wrongFiles.add(path)
    this.add(row === undefined ? path : `${path} row ${row}`, what)
  }
}
