// What a dry run found: each rule with how much it would have stopped, and the first runs behind it.
import type { GuardrailDryRun } from '@runyard/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { classes } from '../../../look/classes.ts'
import { counted } from '../../../parts/amounts.ts'
import { ruleWords, wayWords } from '../../../parts/guardrailWords.ts'
import { Cell, Row, RowTable } from '../../../parts/RowTable.tsx'
import { Failed } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import style from '../PeopleScreen.module.css'

/** How many of each rule are shown. */
const shown = 5

export function DryRunReport({ query }: { query: UseQueryResult<GuardrailDryRun> }) {
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  const { status, report } = query.data ?? { status: 'running', report: null }
  return (
    <section className={style.report} aria-label="Dry run" aria-busy={status === 'running'}>
      {status === 'running' && <p role="status">Reading what the runs of the last 30 days did…</p>}
      {status === 'failed' && <p role="alert">The dry run failed. Start it again.</p>}
      {report && (
        <>
          <p role="status">
            Of {counted(report.runs, 'run')} with {counted(report.calls, 'call')}, {counted(report.runs_stopped, 'run')}{' '}
            would have been touched.{' '}
            {report.rows_since === null ? (
              'There were no runs in the last 30 days.'
            ) : (
              <>
                The first run is from <Time at={report.rows_since} />.
              </>
            )}
            {report.rules.length === 0 && report.runs > 0 && ' These rules would have stopped nothing.'}
            {report.runs_without_log > 0 &&
              ` The logs of ${counted(report.runs_without_log, 'run')} are erased: only their starts and costs count.`}
            {report.is_cut && ' There are more runs than a dry run judges.'}
          </p>
          {report.rules.length > 0 && (
            <RowTable
              heads={['Rule', 'Effect', 'Calls', 'Runs', 'First']}
              numbers={['Calls', 'Runs']}
              hasActions={false}
            >
              {report.rules.map(({ rule, way, calls, runs, first }) => (
                <Row key={`${rule} ${way}`}>
                  <Cell>{ruleWords[rule]}</Cell>
                  <Cell of="Effect">{wayWords[way]}</Cell>
                  <Cell of="Calls" isNumber>
                    {calls}
                  </Cell>
                  <Cell of="Runs" isNumber>
                    {runs}
                  </Cell>
                  <Cell of="First">
                    {first.slice(0, shown).map(({ run_id, run_number, agent_name, step }) => (
                      <Link
                        key={`${run_id} ${step}`}
                        to="/runs/$runId"
                        params={{ runId: run_id }}
                        className={classes('link', style.behind)}
                      >
                        {visible(agent_name)} {run_number}
                        {step !== null && `, step ${step}`}
                      </Link>
                    ))}
                    {calls > shown && <span className="dim">and {calls - Math.min(shown, first.length)} more</span>}
                  </Cell>
                </Row>
              ))}
            </RowTable>
          )}
        </>
      )}
    </section>
  )
}
