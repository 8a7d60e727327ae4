// What survival proofs showed last: every counter in docs/proofs/survival.json, and a table of all of them in docs/proofs/survival.md.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Proof } from './proof.ts'

/** How many counters of a proof that holds are in the table. One that does not hold shows all. */
const shownMax = 6

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../docs/proofs/${name}`, import.meta.url))
const recordFiles = { json: fileOf('survival.json'), page: fileOf('survival.md') }

export interface Shown {
  commit: string
  date: string
  /** What had to be shown; the environment can make a proof smaller. */
  must?: string
  seconds?: number
  /** The load average of a minute before the proof began: nothing else ran if it is near 0. */
  loadBefore?: number
  holds: boolean
  counts: object
}

type Named = Record<string, Shown>

export function tableCell({ counts, holds }: Pick<Shown, 'counts' | 'holds'>): string {
  const cells = Object.entries(counts).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  return holds && cells.length > shownMax ? `${cells.slice(0, shownMax).join(', ')}, …` : cells.join(', ')
}

/** The part of the page that is written by this file; what stands after it is written by people. */
const tableOnPage = /^\| Proof .*\n(?:\|.*\n)+/m

/** Replaces what is recorded of this proof and leaves the others as they are. */
export async function recordProof(name: string, shown: Shown, proofs: Proof[], files = recordFiles): Promise<void> {
  const before = JSON.parse(await readFile(files.json, 'utf8')) as Named
  const recorded = { ...before, [name]: shown }
  await writeFile(files.json, `${JSON.stringify(recorded, null, 2)}\n`)
  const page = await readFile(files.page, 'utf8')
  if (!tableOnPage.test(page)) throw new Error(`${files.page} has no table of proofs.`)
  // a function, because counters may contain what replace() reads as a pattern
  await writeFile(
    files.page,
    page.replace(tableOnPage, () => tableOf(proofs, recorded)),
  )
}

function tableOf(proofs: Pick<Proof, 'name' | 'must'>[], recorded: Named): string {
  const rows = proofs.map(({ name, must }) => {
    const shown = recorded[name]
    if (!shown) return `| ${name} | ${must} | not run | | |`
    const { commit, date, seconds, loadBefore, holds } = shown
    const took = seconds === undefined ? '' : ` (${seconds} s)`
    const load = loadBefore === undefined ? '' : `, load ${loadBefore} before`
    return `| ${name} | ${shown.must ?? must} | ${tableCell(shown)}${took} | ${holds ? 'yes' : '**no**'} | ${commit}, ${date}${load} |`
  })
  return `${['| Proof | Must show | Seen | Holds | At |', '|---|---|---|---|---|', ...rows].join('\n')}\n`
}
