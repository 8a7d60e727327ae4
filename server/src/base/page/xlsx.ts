// Tables as a spreadsheet (.xlsx). It is written in a thread of its own: 100,000 cells take a second, which would hold everybody up.
import { Worker } from 'node:worker_threads'
import { besideFile } from '../besideFile.ts'
import type { PageTable } from './pageTable.ts'
import type { XlsxWork } from './xlsxThread.ts'

/** How many cells a file may have, with the names of the columns. */
const cellsMax = 100_000
const tablesMax = 200
const writeMaxMs = 20_000

/** Has a sheet for each table. What does not fit is left out, and the last sheet says so. Whoever calls it bounds how many run at once. */
export async function xlsxOf(tables: PageTable[]): Promise<Buffer> {
  const work = fitting(tables)
  const thread = new Worker(besideFile('xlsxThread', import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const timer = setTimeout(() => reject(new Error(`a spreadsheet took more than ${writeMaxMs} ms`)), writeMaxMs)
  thread.once('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
  thread.once('error', reject)
  thread.once('exit', (code) => reject(new Error(`the thread that writes spreadsheets ended with ${code}`)))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

/** The first rows of the first tables, as many as fit. */
function fitting(tables: PageTable[]): XlsxWork {
  const notes: string[] = []
  let left = cellsMax
  const fits = tables.slice(0, tablesMax).map((table) => {
    const width = Math.max(1, table.columns.length)
    const rows = table.rows.slice(0, Math.max(0, Math.floor(left / width) - 1))
    left = Math.max(0, left - (rows.length + 1) * width)
    if (rows.length < table.rows.length)
      notes.push(
        `${table.title}: ${count(rows.length)} of ${count(table.rows.length)} rows are here, since a file has at most ${count(cellsMax)} cells.`,
      )
    return { ...table, rows }
  })
  const more = tables.length - fits.length
  if (more > 0) notes.push(`${count(more)} more tables are left out, since a file has at most ${count(tablesMax)}.`)
  return { tables: fits, notes }
}

const count = (value: number): string => value.toLocaleString('en')
