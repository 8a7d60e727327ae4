// One recorded run and its replay side by side: findings, calls, outputs, score, cost and time.
import type { ReplayReport, ReplaySide } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { classes } from '../../../look/classes.ts'
import { count, duration, money } from '../../../parts/amounts.ts'
import { Json } from '../../../parts/Json.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { replayRunQuery } from '../../../queries/replays.ts'
import tab from '../tab.module.css'
import style from './ReplayTab.module.css'

export function ReplayedRun({ replayRunId }: { replayRunId: string }) {
  const run = useQuery(replayRunQuery(replayRunId))
  return (
    <Shown query={run} what="the report" rows={3}>
      {({ report, run_id }) =>
        report === null ? (
          <p className={tab.why}>There is no report about this run.</p>
        ) : (
          <div className={style.report}>
            <Link className="link" to="/runs/$runId" params={{ runId: run_id }}>
              Open the recorded run
            </Link>
            {report.findings.length > 0 && <Findings findings={report.findings} />}
            <Sides report={report} />
            <Outputs report={report} />
            {report.calls.length > 0 && <Calls calls={report.calls} />}
          </div>
        )
      }
    </Shown>
  )
}

const Findings = ({ findings }: Pick<ReplayReport, 'findings'>) => (
  <ul className={style.findings} aria-label="Findings">
    {findings.map(({ kind, turn, tool, message }, at) => (
      <li key={at}>
        <Tag tone="wait">{kind.replaceAll('_', ' ')}</Tag> {tool !== null && <code>{tool}</code>}
        {turn !== null && <span className="dim"> turn {turn}</span>}
        <p className={tab.why}>{message}</p>
      </li>
    ))}
  </ul>
)

interface Fact {
  label: string
  of: (side: ReplaySide) => string
  /** What makes a side differ; what is shown, unless given. */
  by?: (side: ReplaySide) => string | undefined
}

const facts: Fact[] = [
  {
    label: 'End',
    of: ({ status, error }) => (error ? `${status}: ${visible(error.message)}` : status),
    // the sentences may name times and numbers
    by: ({ status, error }) => error?.code ?? status,
  },
  { label: 'Calls', of: ({ calls }) => count(calls) },
  { label: 'Turns', of: ({ turns }) => count(turns) },
  { label: 'Score', of: ({ score }) => (score === null ? 'unknown' : score.toFixed(2)) },
  { label: 'Cost', of: ({ cost_usd }) => money(Number(cost_usd)) },
  { label: 'Model time', of: ({ model_ms }) => duration(model_ms) },
]

const Sides = ({ report: { recorded, replayed } }: { report: ReplayReport }) => (
  <table className={style.sides}>
    <thead>
      <tr>
        <th scope="col">What</th>
        <th scope="col">Recorded</th>
        <th scope="col">Replayed</th>
      </tr>
    </thead>
    <tbody>
      {facts.map(({ label, of, by = of }) => (
        <tr key={label} className={classes(by(recorded) !== by(replayed) && style.differs)}>
          <th scope="row">{label}</th>
          <td>{of(recorded)}</td>
          <td>{of(replayed)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Outputs = ({ report: { recorded, replayed } }: { report: ReplayReport }) => (
  <div className={style.outputs}>
    {[recorded, replayed].map(({ output }, side) => (
      <section key={side}>
        <h4>{side === 0 ? 'Recorded output' : 'Replayed output'}</h4>
        {output === null ? <span className="dim">none</span> : <Json value={output} />}
      </section>
    ))}
  </div>
)

const Calls = ({ calls }: Pick<ReplayReport, 'calls'>) => (
  <table className={classes(style.sides, style.calls)} aria-label="Calls">
    <thead>
      <tr>
        <th scope="col">Recorded call</th>
        <th scope="col">Replayed call</th>
      </tr>
    </thead>
    <tbody>
      {calls.map(({ recorded, replayed, is_same }, at) => (
        <tr key={at} className={classes(!is_same && style.differs)}>
          {[recorded, replayed].map((call, side) => (
            <td key={side} data-label={side === 0 ? 'Recorded' : 'Replayed'}>
              {call ? (
                <>
                  <code>{call.tool}</code>
                  <Json value={call.arguments} />
                  {call.error !== null && <p className={tab.why}>{call.error}</p>}
                </>
              ) : (
                <span className="dim">not called</span>
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
