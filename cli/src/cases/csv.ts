// Reads CSV as RFC 4180 has it, piece by piece, with the line on which each record begins.
import { CommandFailed } from '../command.ts'

export interface CsvRecord {
  line: number
  cells: string[]
}

/** How long one record may be, so that a quote that nobody closes, or a file of one line, is not read into memory whole. */
export const recordCharactersMax = 2 * 1024 * 1024

export async function* csvRecords(pieces: AsyncIterable<string>): AsyncGenerator<CsvRecord, void, undefined> {
  const reader = new CsvReader()
  for await (const piece of pieces) yield* reader.take(piece)
  yield* reader.end()
}

class CsvReader {
  #line = 1
  #beganAt = 1
  #cells: string[] = []
  #cell = ''
  #length = 0
  /** `closed`: after the quote that may end the cell, or be the first of two. */
  #state: 'plain' | 'quoted' | 'closed' = 'plain'

  #endCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'plain'
  }

  *take(piece: string): Generator<CsvRecord, void, undefined> {
    for (const letter of piece) {
      this.#length += 1
      if (this.#length > recordCharactersMax) {
        throw new CommandFailed(`Line ${this.#beganAt}: the record is too long. Is a quote missing?`)
      }
      if (letter === '\n') this.#line += 1
      if (this.#state === 'quoted') {
        if (letter === '"') this.#state = 'closed'
        else this.#cell += letter
      } else if (letter === '"' && (this.#state === 'closed' || this.#cell === '')) {
        if (this.#state === 'closed') this.#cell += '"'
        this.#state = 'quoted'
      } else if (letter === ',') {
        this.#endCell()
      } else if (letter === '\n') {
        yield* this.#endRecord()
      } else {
        this.#cell += letter
      }
    }
  }

  *end(): Generator<CsvRecord, void, undefined> {
    if (this.#state === 'quoted') throw new CommandFailed(`Line ${this.#beganAt}: a quote is not closed.`)
    if (this.#length > 0) yield* this.#endRecord()
  }

  /** An empty line is not a record. */
  *#endRecord(): Generator<CsvRecord, void, undefined> {
    if (this.#cell.endsWith('\r')) this.#cell = this.#cell.slice(0, -1)
    const wasQuoted = this.#state === 'closed'
    this.#endCell()
    const record = { line: this.#beganAt, cells: this.#cells }
    this.#cells = []
    this.#length = 0
    this.#beganAt = this.#line
    if (record.cells.length > 1 || record.cells[0] !== '' || wasQuoted) yield record
  }
}
