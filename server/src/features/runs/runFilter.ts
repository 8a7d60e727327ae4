// What a list of runs can be narrowed by, as the query says it.
import { isId } from '../../base/ids.ts'
import { allAgents, countedAs, type CountedAs } from '../../engine/counting/runCounts.ts'
import type { Caller } from '../../kit/credential.ts'
import { instant, oneOf, Type, type Static } from '../../kit/schema.ts'
import { spelled } from '../../kit/spellings.ts'
import { runSources, severities } from '../../kit/states.ts'

const anyStatus = `(${countedAs.join('|')})`

export const filterFields = {
  agent_id: Type.Optional(Type.String({ description: 'Only runs of this agent.' })),
  status: spelled(
    Type.Optional(
      Type.String({
        pattern: `^${anyStatus}(,${anyStatus})*$`,
        description: `One or more of ${countedAs.join(', ')}, separated by commas; \`needs_attention\` are those that wait for a person.`,
        examples: ['running,waiting'],
      }),
    ),
    { words: { interrupted: 'stopped', not_started: 'pending', starting: 'pending' } },
  ),
  since: Type.Optional(instant('Runs created from this time on.')),
  until: Type.Optional(instant('Runs created before this time.')),
  user_id: Type.Optional(Type.String({ description: 'Only runs that this member started.' })),
  case_queue_id: Type.Optional(Type.String({ description: 'Only runs on cases of this queue.' })),
  source: Type.Optional(
    oneOf(runSources, {
      description:
        'Only runs that were started this way. Runs of artifacts are listed and counted only with `artifact`.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'Words in title, case title and message; all of them must be there. A final asterisk makes the last word a prefix.',
      examples: ['invoice 47*'],
    }),
  ),
  has_issues: Type.Optional(
    Type.Boolean({
      description: 'Whether the latest evaluation found issues; runs without an evaluation are in neither list.',
    }),
  ),
  issue_severity: Type.Optional(
    oneOf(severities, { description: 'Only runs whose latest evaluation found an issue of this severity.' }),
  ),
}

const Fields = Type.Object(filterFields)

/** Null: not narrowed by it. */
export interface RunFilter {
  teamId: string
  /** The member who asks. */
  memberId: string
  agentId: string | null
  statuses: CountedAs[] | null
  userId: string | null
  queueId: string | null
  source: string | null
  /** Values of runs.issues. */
  issues: number[] | null
  since: Date | null
  until: Date | null
  /** A tsquery, as text. */
  words: string | null
}

/** Undefined: no run can fit it. */
export function filterOf(
  { team_id: teamId, member_id: memberId }: Pick<Caller, 'team_id' | 'member_id'>,
  query: Static<typeof Fields>,
): RunFilter | undefined {
  const ids = [query.agent_id, query.user_id, query.case_queue_id]
  if (ids.some((id) => id !== undefined && (!isId(id) || id === allAgents))) return undefined
  const issues = issuesOf(query)
  if (issues?.length === 0) return undefined
  return {
    teamId,
    memberId,
    agentId: query.agent_id ?? null,
    statuses: query.status === undefined ? null : statusesOf(query.status),
    userId: query.user_id ?? null,
    queueId: query.case_queue_id ?? null,
    source: query.source ?? null,
    issues,
    since: query.since === undefined ? null : new Date(query.since),
    until: query.until === undefined ? null : new Date(query.until),
    words: null,
  }
}

function statusesOf(text: string): CountedAs[] | null {
  const asked = new Set(text.split(','))
  // a run that waits for a person waits, too
  if (asked.has('waiting')) asked.add('needs_attention')
  return asked.size === countedAs.length ? null : countedAs.filter((status) => asked.has(status))
}

function issuesOf({ has_issues, issue_severity }: Static<typeof Fields>): number[] | null {
  if (has_issues === undefined && issue_severity === undefined) return null
  const bit = issue_severity === undefined ? undefined : 1 << severities.indexOf(issue_severity)
  return [0, 1, 2, 3, 4, 5, 6, 7].filter(
    (value) => (has_issues === undefined || value > 0 === has_issues) && (bit === undefined || (value & bit) > 0),
  )
}
