// An evaluation: what was checked and judged of one ended run, and the result.
import { part } from '../../base/db.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { severities, type Severity } from '../../kit/states.ts'

const evaluationStatuses = ['ready', 'in_progress', 'unavailable'] as const

const Result = named(
  'EvalResult',
  Type.Object({
    flag: Type.String({ examples: ['ended_by_itself', 'custom__stays_polite'] }),
    label: Type.String(),
    passed: nullable(Type.Boolean({ description: 'Null: it does not apply to this run, or could not be determined.' })),
    severity: oneOf(severities),
    comment: nullable(Type.String()),
    evidence: Type.Array(Id, { description: 'Messages of the run that show it.' }),
  }),
)

export type Result = Static<typeof Result>

const Summary = named(
  'EvalSummary',
  Type.Object({
    passed: Type.Integer({ minimum: 0 }),
    total: Type.Integer({ minimum: 0, description: 'How many results are not null.' }),
    final_comment: Type.String(),
    severity_counts: Type.Object(
      {
        critical: Type.Integer({ minimum: 0 }),
        medium: Type.Integer({ minimum: 0 }),
        low: Type.Integer({ minimum: 0 }),
      },
      { description: 'How many of each severity did not pass.' },
    ),
  }),
)

export type Summary = Static<typeof Summary>

export const Evaluation = named(
  'Evaluation',
  Type.Object({
    id: Id,
    run_id: Id,
    created_at: Time,
    source: oneOf(['run_end', 'request'], { description: 'Made because the run ended, or because somebody asked.' }),
    status: oneOf(evaluationStatuses, {
      description: '`unavailable`: the custom rubrics could not be judged; `summary.final_comment` says why.',
    }),
    output: Type.Object({
      schema_version: Type.Integer(),
      data: Type.Record(Type.String(), nullable(Type.Boolean()), { description: 'Each flag and whether it passed.' }),
    }),
    results: Type.Array(Result),
    summary: Summary,
  }),
)

export type Evaluation = Static<typeof Evaluation>

/** The columns of `evaluations e`. Many evaluations share what was found. */
export const evaluationColumns = part`e.id, e.run_id, e.created_at, e.source, e.status,
  coalesce((select f.results from eval_findings f where f.id = e.finding_id), e.results) as results,
  coalesce((select f.summary from eval_findings f where f.id = e.finding_id), e.summary) as summary`

export interface EvaluationRow {
  id: string
  run_id: string
  created_at: Date
  source: 'run_end' | 'request'
  status: (typeof evaluationStatuses)[number]
  results: Result[]
  summary: Summary | null
}

export const shown = ({ results, summary, ...rest }: EvaluationRow): Evaluation => ({
  ...rest,
  output: { schema_version: 1, data: Object.fromEntries(results.map(({ flag, passed }) => [flag, passed])) },
  results,
  summary: summary ?? summaryOf(results, 'The run is being evaluated.'),
})

/** The flags that did not pass. */
export const failedOf = (results: Result[]): string[] =>
  results.filter(({ passed }) => passed === false).map(({ flag }) => flag)

/** The share of what could be determined that passed; null if nothing could. */
export const scoreOf = ({ passed, total }: Summary): number | null => (total === 0 ? null : passed / total)

/** `remark`: what the reader must know besides the figures. */
export function summaryOf(results: Result[], remark?: string): Summary {
  const told = results.filter(({ passed }) => passed !== null)
  const missed = told.filter(({ passed }) => passed === false)
  const count = (severity: Severity) => missed.filter((one) => one.severity === severity).length
  const figures =
    told.length === 0
      ? []
      : [
          missed.length === 0
            ? `All ${told.length} checks passed.`
            : `${told.length - missed.length} of ${told.length} checks passed. Not passed: ${missed.map(({ label }) => label).join('; ')}.`,
        ]
  return {
    passed: told.length - missed.length,
    total: told.length,
    final_comment: [...figures, ...(remark === undefined ? [] : [remark])].join(' '),
    severity_counts: { critical: count('critical'), medium: count('medium'), low: count('low') },
  }
}
