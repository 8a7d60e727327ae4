// The work of an import: checks every row first, then adds them in batches.
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { NewCase } from '../../../sdk/src/index.ts'
import { CommandFailed, exit, UsageError, type Call } from '../command.ts'
import { oneNamed } from '../named.ts'
import { harmless, type Output } from '../output.ts'
import { progressOf } from '../progress.ts'
import { rowsOf, type Format } from './rows.ts'
import { caseMaker, type Columns, type Taken } from './toCase.ts'

interface Values {
  queue?: string
  format?: string
  title?: string
  'external-id'?: string
  data?: string
  priority?: string
  'skip-invalid'?: boolean
}

/** How many wrong rows are named; the others are counted. */
const namedMax = 20
/** How often a batch is tried again: a long import outlives a restart of the service. */
const retries = 8

export async function importFile({
  positionals,
  values,
  out,
  stdin,
  signal,
  service,
}: Call<Values>): Promise<number | void> {
  const [given = ''] = positionals
  if (!values.queue) throw new UsageError('--queue must be given: the id or the name of the queue.')
  const format = formatOf(given, values.format)
  const runyard = await service()
  const queue = await oneNamed(runyard.queues.list({ limit: 100 }), values.queue, 'queue')
  const { file, remove } = await fileOf(given, stdin, signal)
  try {
    const columns = columnsOf(values)
    const { rows, problems } = await checkRows(file, format, columns)
    reportProblems(problems, out)
    if (problems.length > 0 && !values['skip-invalid']) {
      out.note('Nothing was imported. Correct the file, or leave out the wrong rows with --skip-invalid.')
      return exit.failed
    }
    const progress = progressOf(out, 'Importing', 'cases')
    let existing = 0
    let done = 0
    const cases = goodCases(file, format, columns)
    try {
      const options = {
        signal,
        maxRetries: retries,
        onProgress: (seen: { done: number; existing: number }) => {
          ;({ done, existing } = seen)
          progress.show(done, rows)
        },
      }
      for await (const _ of runyard.cases.createMany(queue.id, cases, options)) signal.throwIfAborted()
    } finally {
      progress.end()
    }
    const counts = { queue_id: queue.id, cases: done, created: done - existing, existing, invalid: problems.length }
    out.record(counts, () => [
      `${harmless(queue.name)}: ${counts.created === 1 ? '1 case' : `${counts.created} cases`} added, ${existing} were there already${problems.length > 0 ? `, ${problems.length} rows left out` : ''}.`,
    ])
  } finally {
    await remove()
  }
}

function formatOf(file: string, format: string | undefined): Format {
  const found = format ?? /\.(csv|ndjson|jsonl)$/i.exec(file)?.[1]?.toLowerCase()
  if (found === 'csv') return 'csv'
  if (found === 'ndjson' || found === 'jsonl') return 'ndjson'
  throw new UsageError('--format must be csv or ndjson.')
}

const columnsOf = ({ title, 'external-id': externalId, data, priority }: Values): Columns => ({
  ...(title !== undefined && { title }),
  ...(externalId !== undefined && { externalId }),
  ...(data !== undefined && { data: data.split(',').map((name) => name.trim()) }),
  ...(priority !== undefined && { priority }),
})

interface Stored {
  file: string
  remove: () => Promise<void>
}

/** It is read twice, so what comes in on stdin is stored for the time. */
async function fileOf(given: string, stdin: Call['stdin'], signal: AbortSignal): Promise<Stored> {
  if (given !== '-') return { file: given, remove: async () => undefined }
  const folder = await mkdtemp(join(tmpdir(), 'runyard-import-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const file = join(folder, 'rows')
  try {
    await pipeline(stdin(), createWriteStream(file, { mode: 0o600 }), { signal })
  } catch (error) {
    await remove()
    throw error
  }
  return { file, remove }
}

async function* takenOf(file: string, format: Format, columns: Columns): AsyncGenerator<Taken, void, undefined> {
  const take = caseMaker(columns)
  for await (const row of rowsOf(file, format)) yield take(row)
}

type Problem = Extract<Taken, { problem: string }>

async function checkRows(
  file: string,
  format: Format,
  columns: Columns,
): Promise<{ rows: number; problems: Problem[] }> {
  const problems: Problem[] = []
  let rows = 0
  for await (const taken of takenOf(file, format, columns)) {
    if ('problem' in taken) problems.push(taken)
    else rows += 1
  }
  if (rows + problems.length === 0) throw new CommandFailed('The file has no rows.')
  return { rows, problems }
}

async function* goodCases(file: string, format: Format, columns: Columns): AsyncGenerator<NewCase, void, undefined> {
  for await (const taken of takenOf(file, format, columns)) if ('case' in taken) yield taken.case
}

function reportProblems(problems: Problem[], out: Output): void {
  for (const { line, problem } of problems.slice(0, namedMax)) out.note(harmless(`Line ${line} ${problem}.`))
  if (problems.length > namedMax) out.note(`${problems.length - namedMax} more lines are wrong.`)
}
