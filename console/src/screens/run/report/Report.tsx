// The execution report: how it ended, what it took, and its steps as a table.
import type { GetRunAnswer, GetWorkflowExecutionReportAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { count, counted, duration, money } from '../../../parts/amounts.ts'
import { Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { runReportQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'
import style from './Report.module.css'

type ReportOf = GetWorkflowExecutionReportAnswer['report']

export function Report({ run }: { run: GetRunAnswer['run'] }) {
  const report = useQuery(runReportQuery(run))
  return (
    <Shown query={report} what="the report">
      {(found) => (
        <div className={style.report}>
          <p className={style.summary}>{visible(found.outcome.summary)}</p>
          <Totals report={found} />
          <Steps report={found} />
        </div>
      )}
    </Shown>
  )
}

function Totals({
  report: { totals, duration_ms: took, active_ms: active, waiting_ms: waited },
}: {
  report: ReportOf
}) {
  const facts: [string, string][] = [
    ['Took', took === null ? 'not begun' : duration(took)],
    ['Active', duration(active)],
    ['Waited', waited === null ? 'not at all' : duration(waited)],
    ['Model', counted(totals.model_calls, 'call')],
    ['Tools', `${counted(totals.tool_calls, 'call')}, ${count(totals.tool_errors)} failed`],
    ['Repeated', counted(totals.retries, 'attempt')],
    ['Asked people', counted(totals.human_requests, 'request')],
    ['Made', `${counted(totals.files, 'file')}, ${counted(totals.screenshots, 'picture')}`],
    ['Tokens', `${count(totals.input_tokens)} read, ${count(totals.output_tokens)} written`],
    ['Cost', money(totals.cost_usd)],
  ]
  return (
    <dl className={style.totals}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const words: Record<ReportOf['steps'][number]['status'], string> = {
  done: 'done',
  failed: 'failed',
  cut_off: 'cut off',
  in_doubt: 'in doubt',
  running: 'running',
  waiting: 'waiting',
}

function Steps({ report: { steps, steps_total: total } }: { report: ReportOf }) {
  const { linkTo, search } = useRunAddress()
  return (
    <>
      <table className={style.steps}>
        <caption className="forReaders">Steps of the run</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">What it did</th>
            <th scope="col">State</th>
            <th scope="col" className={style.number}>
              Took
            </th>
            <th scope="col" className={style.number}>
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step.seq} aria-selected={search.step === step.seq || undefined}>
              <td>{step.seq}</td>
              <td>
                <Link className={style.title} {...linkTo({ step: step.seq })}>
                  {visible(step.title)}
                </Link>
                {step.error !== null && <p className={style.error}>{visible(step.error)}</p>}
              </td>
              <td>
                <Tag
                  tone={
                    step.status === 'failed'
                      ? 'fail'
                      : step.status === 'in_doubt' || step.status === 'waiting'
                        ? 'wait'
                        : undefined
                  }
                >
                  {words[step.status]}
                </Tag>
                {step.attempts > 1 && <Tag tone="wait">×{step.attempts}</Tag>}
              </td>
              <td className={style.number}>{step.duration_ms === null ? '' : duration(step.duration_ms)}</td>
              <td className={style.number}>
                {step.tokens === null ? '' : count(step.tokens.input + step.tokens.output)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > steps.length && (
        <p className="dim small">
          These are the last {count(steps.length)} of {count(total)} steps. The timeline has all of them.
        </p>
      )}
    </>
  )
}
