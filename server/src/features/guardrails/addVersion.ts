// Writes a version of a team's guardrails, and wakes what the version before let wait.
import { one, type Sql } from '../../base/db.ts'
import { wakeHeldRuns } from '../../engine/guardrails/wakeHeldRuns.job.ts'
import type { GuardrailDocument } from '../../engine/guardrails/rules.ts'
import type { Enqueue } from '../../kit/job.ts'
import { versionColumns, type GuardrailVersion } from './guardrails.ts'

const againMs = 20_000

interface NewVersion {
  rules: GuardrailDocument
  comment: string | null
  restores: number | null
  memberId: string
}

/** The caller holds the lock of the team's row. */
export async function addVersion(
  sql: Sql,
  enqueue: Enqueue,
  teamId: string,
  version: number,
  { rules, comment, restores, memberId }: NewVersion,
): Promise<GuardrailVersion> {
  const made = await one(sql<GuardrailVersion>`
    insert into guardrails (team_id, version, rules, comment, restores, user_id)
    values (${teamId}, ${version}, ${JSON.stringify(rules)}::jsonb, ${comment}, ${restores}, ${memberId})
    returning ${versionColumns}`)
  await enqueue(wakeHeldRuns, { team_id: teamId })
  // a run that was judged by the version before may pause a moment after it was looked for
  await enqueue(wakeHeldRuns, { team_id: teamId }, { runAt: new Date(Date.now() + againMs) })
  return made
}
