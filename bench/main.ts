// npm run bench -- [name …] [name/part …] [--quick]: measures the service against its floors and prints what it found, also what falls short.
import { statfs } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { afterRuns } from './afterRuns.ts'
import { artifacts } from './artifacts.ts'
import { browsing } from './browsing.ts'
import { bulk } from './bulk.ts'
import { cases } from './cases.ts'
import { cli } from './cli.ts'
import { consolePage } from './consolePage.ts'
import { consoleRun } from './consoleRun.ts'
import { deliveries } from './deliveries.ts'
import { evaluations } from './evaluations.ts'
import { evidence } from './evidence.ts'
import { execs } from './execs.ts'
import { fullTables } from './fullTables.ts'
import { getRuns } from './getRuns.ts'
import { guardrails } from './guardrails.ts'
import type { Bed } from './interleave.ts'
import { keyedWrite } from './keyedWrite.ts'
import { listRuns } from './listRuns.ts'
import { startLoad } from './load.ts'
import { longRun } from './longRun.ts'
import { peers } from './peers/peers.ts'
import { readById } from './readById.ts'
import { scenarios } from './scenarios.ts'
import { startLatency } from './startLatency.ts'
import { startRuns } from './startRuns.ts'
import { storage } from './storage.ts'
import { printSheet, printTable, type Row, type Sheet } from './table.ts'
import { waitingRuns } from './waitingRuns.ts'
import { wholeRuns } from './wholeRuns.ts'
import { workers } from './workers.ts'

const benches: Record<string, (bed: Bed) => Promise<Row[] | Sheet>> = {
  readById,
  keyedWrite,
  wholeRuns,
  scenarios,
  workers,
  storage,
  afterRuns,
  fullTables,
  startLatency,
  getRuns,
  startRuns,
  longRun,
  waitingRuns,
  deliveries,
  execs,
  browsing,
  cases,
  bulk,
  evaluations,
  evidence,
  guardrails,
  listRuns,
  artifacts,
  cli,
  console: consolePage,
  consoleRun,
}

/** Run only when they are named: they install packages from npm. */
const onDemand: typeof benches = { peers }

/** The generator dies of it, the bench under way fails, and everything it started is stopped and removed on the way out. */
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

async function main(wanted: string[], isQuick: boolean): Promise<void> {
  const parts = new Map<string, string[]>()
  for (const [name, part] of wanted.map((word) => word.split('/', 2) as [string, string?])) {
    parts.set(name, [...(parts.get(name) ?? []), ...(part === undefined ? [] : [part])])
  }
  const known = { ...benches, ...onDemand }
  const unknown = [...parts.keys()].filter((name) => !(name in known))
  if (unknown.length > 0) {
    throw new Error(`no bench is called ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`)
  }
  const loadBefore = loadavg()[0]!
  await using load = await startLoad(interrupted.signal)
  const rows: Row[] = []
  const sheets: Sheet[] = []
  for (const name of parts.size > 0 ? parts.keys() : Object.keys(benches)) {
    const tell = (line: string) => void process.stderr.write(`${name}: ${line}\n`)
    const found = await known[name]!({ load, parts: parts.get(name) ?? [], isQuick, signal: interrupted.signal, tell })
    if (Array.isArray(found)) rows.push(...found)
    else sheets.push(found)
  }
  console.log(await circumstances(loadBefore))
  if (rows.length > 0) console.log(printTable(rows))
  for (const sheet of sheets) console.log(`\n${printSheet(sheet)}`)
}

const tmpfs = 0x01021994

async function circumstances(loadBefore: number): Promise<string> {
  const isMemory = (await statfs(tmpdir())).type === tmpfs
  return [
    `Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    `load of the machine before ${loadBefore.toFixed(2)}, at the end ${loadavg()[0]!.toFixed(2)}`,
    `embedded PostgreSQL, fsync on${isMemory ? ' (but the data lies in memory, where it costs nothing: set TMPDIR)' : ''}`,
  ].join('; ')
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false } },
  })
  await main(positionals, values.quick)
} catch (error) {
  console.error(interrupted.signal.aborted ? 'interrupted' : error)
  process.exitCode = interrupted.signal.aborted ? 130 : 1
}
