// The audit log as lines of a CSV file, page by page.
import type { AuditEntry } from '@runyard/sdk'
import { runyard } from '../../../app/client.ts'
import type { WorkPage } from '../../../app/longWork.ts'
import { walkPage, type WalkPlace } from '../../../parts/walkPages.ts'
import { csvBegin, csvLine } from '../../runs/csv.ts'
import type { AuditFilter } from './auditFilter.ts'

const columns = [
  'created_at',
  'operation',
  'outcome',
  'status',
  'error',
  'user_id',
  'for_user_id',
  'credential_type',
  'credential_id',
  'target_type',
  'target_id',
  'request_id',
  'id',
] as const satisfies (keyof AuditEntry)[]

export async function auditPage(input: unknown, cursor: string | undefined): Promise<WorkPage> {
  const place = cursor === undefined ? undefined : (JSON.parse(cursor) as WalkPlace)
  const { rows, next, total } = await walkPage(input as AuditFilter, place, async (asked) => {
    const page = await runyard.auditLog.list(asked).page()
    return { data: page.entries, total: page.total }
  })
  const head = cursor === undefined ? csvBegin + csvLine([...columns]) : ''
  const lines = rows.map((entry) => csvLine(columns.map((column) => entry[column])))
  return {
    items: rows.map(({ id }) => id),
    next: next && JSON.stringify(next),
    total,
    text: head + lines.join(''),
  }
}
