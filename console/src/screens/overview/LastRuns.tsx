// The last runs, each with what it does now or why it does not move.
import type { Run } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { classes } from '../../look/classes.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Card } from '../../parts/Card.tsx'
import { shapeOf, statusWord } from '../../parts/Status.tsx'
import { Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { lastRunsQuery } from '../../queries/overview.ts'
import rows from './rows.module.css'

const waits: Record<string, string> = {
  human: 'a person',
  time: 'a time',
  connection: 'a connection',
  sub_run: 'a sub-run',
  capacity: 'a slot',
}

function said({ status, error, waiting_on, usage }: Run): { text: string; tone?: string } {
  if (status === 'failed') return { text: error?.code ?? 'failed', tone: rows.failed }
  if (status === 'waiting')
    return {
      text: `waits for ${waits[waiting_on?.kind ?? ''] ?? 'something'}`,
      tone: waiting_on?.kind === 'human' ? rows.human : undefined,
    }
  if (status === 'running') return { text: `step ${usage.steps + 1}`, tone: rows.running }
  return { text: '' }
}

export function LastRuns() {
  const query = useQuery(lastRunsQuery)
  const all = (
    <Link to="/runs" className="link">
      All runs
    </Link>
  )
  return (
    <Card title="Last runs" aside={all}>
      <Shown query={query} what="runs" rows={4}>
        {(runs) =>
          runs.length === 0 ? (
            <p className={rows.nothing}>There are none yet.</p>
          ) : (
            <ol className={rows.rows}>
              {runs.map((run) => {
                const { text, tone } = said(run)
                return (
                  <li key={run.id}>
                    <Link to="/runs/$runId" params={{ runId: run.id }} className={rows.row}>
                      <StatusShape shape={shapeOf(run)} label={statusWord(run.status)} />
                      <span className={rows.name}>{run.title}</span>
                      <span className={rows.of}>{run.agent_name}</span>
                      <span className={classes(rows.said, tone)}>{text}</span>
                      <span className={rows.when}>
                        <Time at={run.created_at} />
                      </span>
                    </Link>
                  </li>
                )
              })}
            </ol>
          )
        }
      </Shown>
    </Card>
  )
}
