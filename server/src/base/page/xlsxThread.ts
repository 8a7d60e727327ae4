// Runs as a thread of its own: writes the tables that it is given as a spreadsheet and sends its bytes back.
import { parentPort, workerData } from 'node:worker_threads'
import writeXlsxFile from 'write-excel-file/node'
import type { PageTable } from './pageTable.ts'
import { sheetsOf } from './xlsxSheets.ts'

export interface XlsxWork {
  tables: PageTable[]
  /** Sentences about what was left out. */
  notes: string[]
}

const { tables, notes } = workerData as XlsxWork
// without a name, programs choose a font of their own for each style
const font = { fontFamily: 'Calibri', fontSize: 11 }
const bytes = await writeXlsxFile(sheetsOf(tables, notes), font).toBuffer()
parentPort?.postMessage(bytes, [])
