// The runs that worked on a case.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { dollars } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { Shown } from '../../parts/states.tsx'
import { Status } from '../../parts/Status.tsx'
import { Elapsed, Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { caseRunsQuery } from '../../queries/queues.ts'
import style from './Runs.module.css'

export function Runs({ caseId }: { caseId: string }) {
  const runs = useQuery(caseRunsQuery(caseId))
  return (
    <Card title="Runs" {...(runs.data && { facts: String(runs.data.length) })}>
      <Shown query={runs} what="runs" rows={2}>
        {(all) =>
          all.length === 0 ? (
            <p className={style.none}>No run has worked on it. The queue says why under Work.</p>
          ) : (
            <ul className={style.runs}>
              {all.map((run) => (
                <li key={run.id}>
                  <Status run={run} />
                  <Link className={style.title} to="/runs/$runId" params={{ runId: run.id }}>
                    {visible(run.agent_name)} <span className="dim">{run.run_number}</span>
                  </Link>
                  <span className={style.facts}>
                    {run.started_at !== null && <Elapsed since={run.started_at} until={run.completed_at} />}
                    {run.usage.cost_usd > 0 && <span>{dollars(run.usage.cost_usd)} USD</span>}
                    <Time at={run.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}
