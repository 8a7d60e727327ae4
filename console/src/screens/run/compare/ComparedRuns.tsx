// What two runs took and how they ended, as a table with both beside each other.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { classes } from '../../../look/classes.ts'
import { count, duration, money } from '../../../parts/amounts.ts'
import { Status } from '../../../parts/Status.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { runAroundQuery } from '../../../queries/run.ts'
import style from './ComparedRuns.module.css'

type Run = GetRunAnswer['run']

const tookMs = ({ started_at: from, completed_at: to }: Run): number | undefined =>
  from === null || to === null ? undefined : Date.parse(to) - Date.parse(from)

/** Outcomes are compared as text: their beginning is enough to see whether they differ. */
const outcomeOf = ({ output, error }: Run): string =>
  (error
    ? `${error.code}: ${error.message}`
    : output === null
      ? ''
      : typeof output === 'string'
        ? output
        : JSON.stringify(output)
  ).slice(0, 300)

interface Fact {
  name: string
  of: (run: Run) => string
  /** Whether a difference means something: no two runs take the same time. */
  counts: boolean
}

const facts: Fact[] = [
  { name: 'Steps', of: ({ usage }) => count(usage.steps), counts: true },
  { name: 'Tokens', of: ({ usage }) => count(usage.input_tokens + usage.output_tokens), counts: true },
  { name: 'Cost', of: ({ usage }) => money(usage.cost_usd), counts: true },
  {
    name: 'Took',
    of: (run) => {
      const took = tookMs(run)
      return took === undefined ? 'not ended' : duration(took)
    },
    counts: false,
  },
  { name: 'Outcome', of: outcomeOf, counts: true },
]

export function ComparedRuns({ left, right }: { left: Run; right: Run }) {
  const both = [left, right]
  return (
    <div className={style.scroll}>
      <table className={style.runs}>
        <caption className="forReaders">The two runs</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="forReaders">Fact</span>
            </th>
            {both.map((run) => (
              <th key={run.id} scope="col">
                <Link className="link" to="/runs/$runId" params={{ runId: run.id }}>
                  {run.run_number}
                </Link>{' '}
                <span title={run.title}>{visible(run.title.slice(0, 80))}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr className={classes(left.status !== right.status && style.differs)}>
            <th scope="row">Status</th>
            {both.map((run) => (
              <td key={run.id}>
                <Status run={run} />
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">Started</th>
            {both.map((run) => (
              <td key={run.id}>
                <Time at={run.started_at ?? run.created_at} />
              </td>
            ))}
          </tr>
          <tr className={classes(left.build_id !== right.build_id && style.differs)}>
            <th scope="row">Build</th>
            {both.map((run) => (
              <td key={run.id}>
                <BuildOf run={run} />
              </td>
            ))}
          </tr>
          {facts.map(({ name, of, counts }) => (
            <tr key={name} className={classes(counts && of(left) !== of(right) && style.differs)}>
              <th scope="row">{name}</th>
              {both.map((run) => (
                <td key={run.id}>
                  <span className={style.value}>{visible(of(run))}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function BuildOf({ run }: { run: Run }) {
  const { data } = useQuery(runAroundQuery(run))
  return data?.build.revision_number
}
