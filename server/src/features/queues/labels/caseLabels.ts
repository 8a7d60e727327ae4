// The labels of a case: put on and taken off, with a line in its timeline that says which.
import type { Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { Label, labelColumns, labelText } from './label.ts'

export const labelsOfCase = (sql: Sql, teamId: string, caseId: string): Promise<Label[]> => sql<Label>`
  select ${labelColumns} from case_labels cl join labels l on l.id = cl.label_id
  where cl.case_id = ${caseId} and l.team_id = ${teamId} order by l.key, l.value, l.id`

interface Changing {
  teamId: string
  caseId: string
  userId: string
}

/** The labels are locked. Labels that the case carries already stay as they are; false: the case no longer exists. */
export async function putOn(sql: Sql, changing: Changing, labels: Label[]): Promise<boolean> {
  const { teamId, caseId } = changing
  const [held] = await sql<{ created_at: Date }>`
    select created_at from cases where id = ${caseId} and team_id = ${teamId} for no key update`
  if (!held) return false
  const added = await sql<{ label_id: string }>`
    insert into case_labels (case_id, label_id, created_at)
    select ${caseId}, label_id, ${held.created_at} from unnest(${labels.map(({ id }) => id)}::uuid[]) as label_id
    on conflict do nothing returning label_id`
  await tellChange(sql, changing, 'Added', labels, added)
  return true
}

/** Skips labels that the case does not carry. */
export async function takeOff(sql: Sql, changing: Changing, labels: Label[]): Promise<void> {
  const removed = await sql<{ label_id: string }>`
    delete from case_labels where case_id = ${changing.caseId} and label_id = any(${labels.map(({ id }) => id)}::uuid[])
    returning label_id`
  await tellChange(sql, changing, 'Removed', labels, removed)
}

const reasonLengthMax = 2000

async function tellChange(
  sql: Sql,
  { teamId, caseId, userId }: Changing,
  what: string,
  labels: Label[],
  changed: { label_id: string }[],
): Promise<void> {
  if (changed.length === 0) return
  const ids = new Set(changed.map(({ label_id }) => label_id))
  const texts = labels.filter(({ id }) => ids.has(id)).map(labelText)
  const reason = `${what} ${texts.join(', ')}`
  const shown = reason.length > reasonLengthMax ? `${reason.slice(0, reasonLengthMax - 1)}…` : reason
  await sql`
    with changed as (
      update cases set updated_at = now() where id = ${caseId} and team_id = ${teamId} returning id
    )
    insert into case_events (id, team_id, case_id, type, user_id, reason)
    select ${newId()}, ${teamId}, id, 'labels_changed', ${userId}, ${shown} from changed`
}
