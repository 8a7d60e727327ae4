// Evaluates a run with the write that ends it, from its log as its holder saw it written. The result is the same that evaluateEnded.ts would
// find in its rows; whatever is not sure to be the same is left to it.
import { hash } from 'node:crypto'
import { part } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { storableJson } from '../../base/storable.ts'
import type { CheckedEnd, EndCheck, Found } from '../../kit/endCheck.ts'
import { appendCounts } from './evalCounts.ts'
import { watchRunLog } from './seenLog.ts'

export const evaluateAtEnd: EndCheck = {
  // runs of artifacts are not evaluated: the trigger runs_ended_to_evaluate leaves them out too
  watch: ({ source, message_seq }) => (source === 'artifact' ? undefined : watchRunLog(message_seq)),
  sql: (ends) => ({ checked: checked(ends), written }),
}

/**
 * Most runs of a build pass all checks, so the same finding is sent and parsed once for all of them, and stored once for ever. A build with
 * custom rubrics is for the evaluator: rubrics may be added at any moment, so this statement asks for them.
 */
function checked(ends: CheckedEnd[]) {
  const findings = new Map<string, Found & { place: number; shared_id: string | null }>()
  const rows = ends.map(({ runId, teamId, buildId, messages, found }) => {
    const key = JSON.stringify(found)
    const place = findings.get(key)?.place ?? findings.size
    findings.set(key, { ...found, place, shared_id: sharedId(key, found) })
    return { id: newId(), run_id: runId, team_id: teamId, build_id: buildId, messages, place }
  })
  return part`
    finding as materialized (
      select * from json_to_recordset(${storableJson([...findings.values()])}::json) as f (
        place int, shared_id uuid, summary jsonb, results jsonb, failed text[], score numeric)
    ),
    shared as (
      insert into eval_findings (id, results, summary)
      select shared_id, results, summary from finding where shared_id is not null order by shared_id on conflict do nothing
    ),
    checked as materialized (
      select w.id, w.run_id, w.messages, f.shared_id, f.summary, f.results, f.failed, f.score
      from json_to_recordset(${JSON.stringify(rows)}::json) as w (
        id uuid, run_id uuid, team_id uuid, build_id uuid, messages int, place int)
      join finding f on f.place = w.place
      where not exists (
        select from eval_rubrics q where q.build_id = w.build_id and q.team_id = w.team_id and q.deleted_at is null)
    )`
}

/** A finding with a flag that did not pass tells of its run: it stays with that. */
function sharedId(text: string, { failed }: Found): string | null {
  if (failed.length > 0) return null
  // a uuid has half as many digits as the hash
  return hash('sha256', text, 'hex').slice(0, 32)
}

/** These are runs that end for the first time, so no earlier evaluation of them counts. */
const written = part`
    evaluation as (
      insert into evaluations as e (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at, finding_id, results, summary,
        failed, is_judged, score, counts, completed_at)
      select k.id, r.team_id, r.agent_id, r.build_id, r.id, 'run_end', 'ready', r.completed_at, k.shared_id,
        case when k.shared_id is null then k.results else '[]' end, case when k.shared_id is null then k.summary end,
        k.failed, false, k.score, true, now()
      from run r join checked k on k.run_id = r.id where r.is_checked
      returning e.team_id, e.agent_id, e.build_id, e.run_ended_at, e.failed, e.is_judged
    ),
    evaluation_counted as (${appendCounts(part`(select 1 as n, made.* from evaluation made)`)})`
