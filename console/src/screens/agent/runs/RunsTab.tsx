// The last runs of the agent, and the way to all of them.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { openStartRun } from '../../../app/startingRun.ts'
import { dollars, duration } from '../../../parts/amounts.ts'
import { Button, ButtonLink } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { Status } from '../../../parts/Status.tsx'
import { Time } from '../../../parts/Time.tsx'
import type { TabProps } from '../AgentScreen.tsx'
import style from '../tab.module.css'

const shownMax = 25

export default function RunsTab({ agent }: TabProps) {
  const { unable } = useSession()
  const input = { agent_id: agent.id, limit: shownMax }
  const runs = useQuery({
    queryKey: ['runs', 'ofAgent', agent.id],
    queryFn: ({ signal }) => runyard.runs.list(input, { signal }).page(),
  })
  const start = (
    <Button kind="go" icon="play" unable={unable('runs:write')} onClick={() => openStartRun({ agentId: agent.id })}>
      Start a run
    </Button>
  )
  return (
    <Shown query={runs} what="runs">
      {({ data, total }) =>
        data.length === 0 ? (
          <Empty icon="runs" title="It has not run yet" action={start} command={`runyard run ${agent.id} --wait`}>
            A run follows the live build, from a message to an output. It waits for people without holding anything.
          </Empty>
        ) : (
          <div className={style.page}>
            <header className={style.head}>
              <h2>Last runs</h2>
              <span className={style.gap} />
              <CopyAs operation="listRuns" input={input} />
              <ButtonLink to="/runs" search={{ agent_id: agent.id }}>
                All {total} runs
              </ButtonLink>
              {start}
            </header>
            <table className={style.table}>
              <thead>
                <tr>
                  <th scope="col">Status</th>
                  <th scope="col">Run</th>
                  <th scope="col">Source</th>
                  <th scope="col" className={style.number}>
                    Started
                  </th>
                  <th scope="col" className={style.number}>
                    Took
                  </th>
                  <th scope="col" className={style.number}>
                    USD
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.map((run) => (
                  <tr key={run.id}>
                    <td>
                      <Status run={run} />
                    </td>
                    <td className={style.long}>
                      <Link to="/runs/$runId" params={{ runId: run.id }} className={style.open}>
                        {run.title}
                      </Link>{' '}
                      <span className="dim">{run.run_number}</span>
                    </td>
                    <td className="dim">{run.source.replaceAll('_', ' ')}</td>
                    <td className={style.number}>
                      <Time at={run.created_at} />
                    </td>
                    <td className={style.number}>
                      {run.started_at && run.completed_at
                        ? duration(Date.parse(run.completed_at) - Date.parse(run.started_at))
                        : ''}
                    </td>
                    <td className={style.number}>{dollars(run.usage.cost_usd)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Shown>
  )
}
