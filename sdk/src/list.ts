// A list that comes in pages: `for await` gives its rows, and fetches pages as they are needed.
import type { Call } from './call.ts'

type Asked = Record<string, unknown>

export class List<Row, Page extends object> implements AsyncIterable<Row> {
  readonly #rows: string
  readonly #input: Asked
  readonly #fetch: (input: Asked) => Call<Page>

  constructor(rows: string, input: object, fetch: (input: Asked) => Call<Page>) {
    this.#rows = rows
    this.#input = input as Asked
    this.#fetch = fetch
  }

  /** One page as the server gives it, with its `total`. The first, unless `offset` was given. */
  page(): Call<Page> {
    return this.#fetch(this.#input)
  }

  /** Page after page, until there are no more. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let offset = Number(this.#input['offset'] ?? 0)
    for (;;) {
      const page = await this.#fetch({ ...this.#input, offset })
      const count = this.#rowsOf(page).length
      if (count === 0) return
      yield page
      offset += count
      if (offset >= (page as { total: number }).total) return
    }
  }

  /**
   * Rows that arrive during the walk move others to the next page: what was given is not given again. Rows that are deleted move others to
   * the page before, where they are missed: collect the ids first when you delete what you find.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    const given = new Set<unknown>()
    for await (const page of this.pages()) {
      for (const row of this.#rowsOf(page)) {
        const { id } = row as { id?: unknown }
        if (id !== undefined && given.has(id)) continue
        given.add(id)
        yield row
      }
    }
  }

  #rowsOf(page: Page): Row[] {
    return (page as Record<string, Row[]>)[this.#rows] ?? []
  }
}
