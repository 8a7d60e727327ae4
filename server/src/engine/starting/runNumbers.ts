// Run numbers, drawn from the sequence in blocks: unique, roughly rising, known before the run is written.
import type { Sql } from '../../base/db.ts'

/** How many numbers are drawn at once. */
const blockSize = 100

export function createRunNumbers(sql: Sql) {
  let block: number[] = []
  let drawing: Promise<void> | undefined

  async function draw(): Promise<void> {
    const rows = await sql<{ n: number }>`select nextval('run_numbers') as n from generate_series(1, ${blockSize})`
    block = block.concat(rows.map(({ n }) => n))
  }

  return {
    async next(): Promise<number> {
      for (;;) {
        const number = block.shift()
        if (number !== undefined) return number
        drawing ??= draw().finally(() => (drawing = undefined))
        await drawing
      }
    },
  }
}
