// What failed in the last day, by agent and reason.
import type { GetOverviewAnswer } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { count } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import rows from './rows.module.css'

const shownMax = 6

export function Failures({ failures }: { failures: GetOverviewAnswer['failures'] }) {
  const most = Math.max(1, ...failures.rows.map(({ runs }) => runs))
  const shown = failures.rows.slice(0, shownMax)
  return (
    <Card title="Failed in 24 h" aside="by agent">
      {shown.length === 0 ? (
        <p className={rows.nothing}>Nothing failed.</p>
      ) : (
        <ol className={rows.rows}>
          {shown.map(({ agent_id, agent_name, code, runs }) => (
            <li key={`${agent_id} ${code}`}>
              <Link to="/runs" search={{ status: 'failed', since: failures.since, agent_id }} className={rows.row}>
                <span className={`${rows.name} ${rows.wide}`}>{agent_name}</span>
                <code className={rows.said}>{code}</code>
                <span className={rows.bar}>
                  <i style={{ width: `${(runs / most) * 100}%` }} />
                </span>
                <b className={rows.number}>
                  {count(runs)}
                  <span className="forReaders"> failed</span>
                </b>
              </Link>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
