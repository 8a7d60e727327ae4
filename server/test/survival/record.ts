// What a survival proof showed: its first counters for the table, and all of them in docs/proofs/survival.json.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** How many counters of a proof that holds are in the table. One that does not hold shows all. */
const shownMax = 6

const survivalJson = fileURLToPath(new URL('../../../docs/proofs/survival.json', import.meta.url))

export interface Shown {
  commit: string
  date: string
  holds: boolean
  counts: object
}

export function tableCell({ counts, holds }: Pick<Shown, 'counts' | 'holds'>): string {
  const cells = Object.entries(counts).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  return holds && cells.length > shownMax ? `${cells.slice(0, shownMax).join(', ')}, …` : cells.join(', ')
}

/** Replaces what the file says about this proof and leaves the others as they are. */
export async function recordProof(name: string, shown: Shown, file = survivalJson): Promise<void> {
  const before = JSON.parse(await readFile(file, 'utf8')) as Record<string, Shown>
  await writeFile(file, `${JSON.stringify({ ...before, [name]: shown }, null, 2)}\n`)
}
