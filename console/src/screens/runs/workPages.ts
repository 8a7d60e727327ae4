// The pages of long work over runs: the ids of all that fit a filter, or the lines of a CSV file.
import { NotFoundError, type Run } from '@runyard/sdk'
import { runyard } from '../../app/client.ts'
import type { WorkPage } from '../../app/longWork.ts'
import type { ApiFilter } from './apiFilter.ts'
import { csvBegin, csvHead, csvOf } from './csv.ts'
import { walkPage, type WalkPlace } from '../../parts/walkPages.ts'

/** What the work is over: everything that fits, or the runs that somebody selected. */
export type WorkRuns = { filter: ApiFilter } | { ids: string[] }

interface RunPage {
  runs: Run[]
  next: string | undefined
  total: number
}

async function filterPage(filter: ApiFilter, cursor: string | undefined): Promise<RunPage> {
  const place = cursor === undefined ? undefined : (JSON.parse(cursor) as WalkPlace)
  const { rows, next, total } = await walkPage(filter, place, (input) => runyard.runs.list(input).page())
  return { runs: rows, next: next && JSON.stringify(next), total }
}

const readAtOnce = 10

async function selectedPage(ids: string[], cursor = '0'): Promise<RunPage> {
  const from = Number(cursor)
  const found = await Promise.all(ids.slice(from, from + readAtOnce).map(runOrNone))
  const next = from + readAtOnce < ids.length ? String(from + readAtOnce) : undefined
  return { runs: found.flat(), next, total: ids.length }
}

/** One that was deleted since it was selected is left out. */
async function runOrNone(id: string): Promise<Run[]> {
  try {
    return [(await runyard.runs.get(id)).run]
  } catch (error) {
    if (error instanceof NotFoundError) return []
    throw error
  }
}

const pageOf = (over: WorkRuns, cursor: string | undefined): Promise<RunPage> =>
  'ids' in over ? selectedPage(over.ids, cursor) : filterPage(over.filter, cursor)

export async function idPage(input: unknown, cursor: string | undefined): Promise<WorkPage> {
  const { runs, next, total } = await pageOf(input as WorkRuns, cursor)
  return { items: runs.map(({ id }) => id), next, total }
}

export async function csvPage(input: unknown, cursor: string | undefined): Promise<WorkPage> {
  const { runs, next, total } = await pageOf(input as WorkRuns, cursor)
  const head = cursor === undefined ? csvBegin + csvHead() : ''
  return { items: runs.map(({ id }) => id), next, total, text: head + runs.map(csvOf).join('') }
}
