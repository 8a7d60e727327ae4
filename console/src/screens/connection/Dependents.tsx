// What stops working when a connection does: agents, their schedules, runs that wait, artifacts, and cases.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { count, counted } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { dependentsQuery } from '../../queries/connections.ts'
import style from './ConnectionScreen.module.css'

export function Dependents({ connectionId }: { connectionId: string }) {
  const dependents = useQuery(dependentsQuery(connectionId))
  return (
    <Card
      title="What depends on it"
      aside={<CopyAs isSmall operation="listConnectionDependents" params={{ connection_id: connectionId }} />}
    >
      <div className={style.body}>
        <Shown query={dependents} what="what depends on it" rows={4}>
          {(found) => {
            const { agents, schedules, waiting_runs: waiting } = found
            const agentName = (id: string) => agents.find((agent) => agent.id === id)?.name ?? 'an agent'
            const isNothing =
              found.agents_total +
                found.waiting_runs_total +
                found.cases_total +
                found.artifacts_total +
                found.triggers_total ===
              0
            if (isNothing)
              return (
                <p className="dim small">
                  Nothing: no live build names it, no artifact reads from it, and no run waits for it. An agent uses it
                  when its settings name it.
                </p>
              )
            return (
              <>
                {waiting.length > 0 && (
                  <>
                    <h3>{counted(found.waiting_runs_total, 'run waits', 'runs wait')}</h3>
                    <ul className={style.rows}>
                      {waiting.slice(0, shownMax).map(({ id, title, since, agent_id: agentId }) => (
                        <li key={id}>
                          <Link className={`link ${style.name}`} to="/runs/$runId" params={{ runId: id }}>
                            {visible(title)}
                          </Link>
                          <span className="dim small">{visible(agentName(agentId))}</span>
                          <span className={style.when}>
                            since <Time at={since} kind="clock" />
                          </span>
                        </li>
                      ))}
                    </ul>
                    <More of={found.waiting_runs_total} />
                  </>
                )}
                {agents.length > 0 && (
                  <>
                    <h3>{counted(found.agents_total, 'agent')}</h3>
                    <ul className={style.rows}>
                      {agents.slice(0, shownMax).map(({ id, name }) => (
                        <li key={id}>
                          <Link className={`link ${style.name}`} to="/agents/$agentId" params={{ agentId: id }}>
                            {visible(name)}
                          </Link>
                        </li>
                      ))}
                    </ul>
                    <More of={found.agents_total} />
                  </>
                )}
                {schedules.length > 0 && (
                  <>
                    <h3>{counted(found.schedules_total, 'schedule')}</h3>
                    <ul className={style.rows}>
                      {schedules.slice(0, shownMax).map(({ id, agent_id: agentId, frequency, next_run_at: next }) => (
                        <li key={id}>
                          <Link
                            className={`link ${style.name}`}
                            to="/agents/$agentId"
                            params={{ agentId }}
                            search={{ tab: 'schedules' }}
                          >
                            {visible(agentName(agentId))}
                          </Link>
                          <span className="dim small">{frequency}</span>
                          {next !== null && (
                            <span className={style.when}>
                              next <Time at={next} />
                            </span>
                          )}
                        </li>
                      ))}
                    </ul>
                    <More of={found.schedules_total} />
                  </>
                )}
                {found.triggers_total > 0 && (
                  <>
                    <h3>{counted(found.triggers_total, 'trigger')}</h3>
                    <ul className={style.rows}>
                      {found.triggers.slice(0, shownMax).map(({ id, agent_id, name, tool }) => (
                        <li key={id}>
                          <Link
                            className={`link ${style.name}`}
                            to="/agents/$agentId"
                            params={{ agentId: agent_id }}
                            search={{ tab: 'triggers', deliveries: id }}
                          >
                            {visible(name ?? `Poll ${tool}`)}
                          </Link>
                        </li>
                      ))}
                    </ul>
                    <More of={found.triggers_total} />
                  </>
                )}
                {found.artifacts_total > 0 && (
                  <>
                    <h3>{counted(found.artifacts_total, 'artifact')}</h3>
                    <ul className={style.rows}>
                      {found.artifacts.slice(0, shownMax).map(({ id, title }) => (
                        <li key={id}>
                          <Link
                            className={`link ${style.name}`}
                            to="/artifacts/$artifactId"
                            params={{ artifactId: id }}
                          >
                            {title === null ? 'Untitled' : visible(title)}
                          </Link>
                        </li>
                      ))}
                    </ul>
                    {found.artifacts_total > Math.min(found.artifacts.length, shownMax) && (
                      <p className="dim small">
                        and {count(found.artifacts_total - Math.min(found.artifacts.length, shownMax))} more
                      </p>
                    )}
                  </>
                )}
                {found.cases_total > 0 && (
                  <>
                    <h3>Cases</h3>
                    <p className="small">
                      {counted(found.cases_total, 'open case')} of the queues that these agents work on.
                    </p>
                  </>
                )}
              </>
            )
          }}
        </Shown>
      </div>
    </Card>
  )
}

const shownMax = 10

const More = ({ of }: { of: number }) =>
  of > shownMax ? <p className="dim small">and {count(of - shownMax)} more</p> : null
