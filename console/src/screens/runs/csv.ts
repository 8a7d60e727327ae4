// Runs as lines of a CSV file that spreadsheets open as they are. What a tenant wrote can never become a formula there.
import type { Run } from '@runyard/sdk'
import { issuesOf } from './nowOrWhy.ts'

type Cell = string | number | boolean | null | undefined

/** A spreadsheet takes a text with one of these at its beginning for a formula; a quote before it makes it text. */
const formula = /^[=+\-@＝＋－＠\t\r\n]/

export function csvCell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const safe = formula.test(value) ? `'${value}` : value
  return /[",;\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvLine = (cells: Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** A spreadsheet reads the file as UTF-8 only with this mark. */
export const csvBegin = '\ufeff'

const json = (value: unknown): Cell =>
  value === null || value === undefined || typeof value === 'string' ? value : JSON.stringify(value)

const columns: Record<string, (run: Run) => Cell> = {
  id: (run) => run.id,
  run_number: (run) => run.run_number,
  title: (run) => run.title,
  status: (run) => run.status,
  agent_id: (run) => run.agent_id,
  agent_name: (run) => run.agent_name,
  build_id: (run) => run.build_id,
  source: (run) => run.source,
  user_id: (run) => run.user_id,
  parent_run_id: (run) => run.parent_run_id,
  case_id: (run) => run.case_id,
  case_queue_id: (run) => run.case_queue_id,
  case_title: (run) => run.case_title,
  created_at: (run) => run.created_at,
  started_at: (run) => run.started_at,
  completed_at: (run) => run.completed_at,
  took_s: ({ started_at, completed_at }) =>
    started_at === null || completed_at === null ? null : (Date.parse(completed_at) - Date.parse(started_at)) / 1000,
  steps: (run) => run.usage.steps,
  input_tokens: (run) => run.usage.input_tokens,
  output_tokens: (run) => run.usage.output_tokens,
  cost_usd: (run) => run.usage.cost_usd,
  waits_for: (run) => run.waiting_on?.kind,
  postponed_to: (run) => run.postponed_to,
  error_code: (run) => run.error?.code,
  error_message: (run) => run.error?.message,
  error_step: (run) => run.error?.step,
  issues: (run) => (run.eval_summary === null ? null : issuesOf(run.eval_summary)),
  message: (run) => json(run.message),
  output: (run) => json(run.output),
  metadata: (run) => json(run.metadata),
  // long texts of a page are cut; this says of which lines that is so
  is_cut: (run) => run.truncated ?? false,
}

export const csvHead = (): string => csvLine(Object.keys(columns))

export const csvOf = (run: Run): string => csvLine(Object.values(columns).map((cell) => cell(run)))
