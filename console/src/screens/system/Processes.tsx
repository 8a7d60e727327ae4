// The living processes, the oldest work that waits, and the loops, lanes and pools of the process that is chosen.
import type { GetSystemAnswer, ProcessReport, SystemProcess } from '@runyard/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { bytes, count, duration } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { Meter } from '../../parts/Meter.tsx'
import { Cell, Row, RowTable } from '../../parts/RowTable.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { nameOfProcess } from './health.ts'
import style from './SystemScreen.module.css'

const route = getRouteApi('/frame/system')

/** What each role does, in a few words. */
const roles: Record<string, string> = {
  all: 'answers requests and does work',
  api: 'answers requests',
  worker: 'does work',
  drill: 'drills the service',
  'drill worker': 'is killed by a drill',
}

export function Processes({ system: { processes, waiting_work } }: { system: GetSystemAnswer }) {
  const { process: chosen } = route.useSearch()
  const shown = processes.find(({ id }) => id === chosen) ?? processes.find((one) => one.is_answering) ?? processes[0]
  return (
    <>
      <RowTable
        heads={['Process', 'Role', 'Memory', 'CPU', 'Started', 'Last report']}
        numbers={['Memory', 'CPU']}
        hasActions={false}
      >
        {processes.map((one) => (
          <Row key={one.id}>
            <Cell>
              <Link
                className="link"
                to="/system"
                search={{ process: one.id }}
                aria-current={one === shown || undefined}
              >
                {one.pid} on {one.host}
              </Link>{' '}
              {one.report?.zone && <span className="dim small">zone {one.report.zone}</span>}{' '}
              {one.is_answering && <Tag tone="live">answers you</Tag>}
            </Cell>
            <Cell of="Role">
              {one.role} <span className="dim small">{roles[one.role] ?? 'does suspect work'}</span>
            </Cell>
            <Cell of="Memory" isNumber>
              {one.report ? bytes(one.report.memory_bytes) : ''}
            </Cell>
            <Cell of="CPU" isNumber>
              {one.report ? `${one.report.cpu_percent} %` : ''}
            </Cell>
            <Cell of="Started">
              <Time at={one.started_at} />
            </Cell>
            <Cell of="Last report">{one.reported_at === null ? 'none yet' : <Time at={one.reported_at} />}</Cell>
          </Row>
        ))}
      </RowTable>
      <div className={style.cards}>
        <Card title="Waiting work" facts="the oldest that is due and not begun">
          <div className={style.inside}>
            <RowTable heads={['Kind', 'Due since']} hasActions={false}>
              {waiting_work.map(({ what, since }) => (
                <Row key={what}>
                  <Cell>{what}</Cell>
                  <Cell of="Due since">
                    {since === null ? <span className="dim">none is due</span> : <Time at={since} />}
                  </Cell>
                </Row>
              ))}
            </RowTable>
          </div>
        </Card>
        {shown?.report && <Lanes report={shown.report} />}
      </div>
      {shown && <OfProcess process={shown} />}
    </>
  )
}

function OfProcess({ process }: { process: SystemProcess }) {
  const { report } = process
  const name = nameOfProcess(process)
  if (report === null)
    return (
      <Empty icon="system" title="No report yet">
        A process reports every five seconds how its loops and pools are.
      </Empty>
    )
  return (
    <div className={style.cards}>
      <Card title="Pools" facts={name}>
        <div className={style.inside}>
          <RowTable heads={['Pool', 'Taken', 'Waiting', 'A team']} numbers={['Waiting', 'A team']} hasActions={false}>
            {report.pools.map(({ name: pool, size, taken, waiting, per_team }) => (
              <Row key={pool}>
                <Cell>{pool}</Cell>
                <Cell of="Taken">
                  <span className={style.pool}>
                    <Meter share={size === 0 ? 0 : taken / size} says={`${taken} of ${size} of ${pool}`} />
                    {count(taken)} of {count(size)}
                  </span>
                </Cell>
                <Cell of="Waiting" isNumber>
                  {count(waiting)}
                </Cell>
                <Cell of="A team" isNumber>
                  {per_team === null ? <span className="dim">all</span> : count(per_team)}
                </Cell>
              </Row>
            ))}
          </RowTable>
        </div>
      </Card>
      <Card title="Loops" facts={name}>
        <div className={style.inside}>
          <RowTable
            heads={['Loop', 'Late', 'Took', 'Failed', 'Turns']}
            numbers={['Late', 'Took', 'Failed', 'Turns']}
            hasActions={false}
          >
            {report.loops.map((loop) => (
              <Row key={loop.name}>
                <Cell>
                  {loop.name}{' '}
                  {loop.under_way_ms !== null && loop.under_way_ms > 1000 && (
                    <Tag tone="wait">for {duration(loop.under_way_ms)}</Tag>
                  )}
                </Cell>
                <Cell of="Late" isNumber>
                  {duration(loop.late_ms)}
                </Cell>
                <Cell of="Took" isNumber>
                  {duration(loop.took_ms)}
                </Cell>
                <Cell of="Failed" isNumber>
                  {count(loop.failures)}
                </Cell>
                <Cell of="Turns" isNumber>
                  {count(loop.turns)}
                </Cell>
              </Row>
            ))}
          </RowTable>
        </div>
      </Card>
    </div>
  )
}

function Lanes({ report: { lanes } }: { report: ProcessReport }) {
  return (
    <Card title="Lanes" facts="writes that share a commit">
      <div className={style.inside}>
        {lanes.length === 0 ? (
          <p className="dim">No run has been written since the process started.</p>
        ) : (
          <RowTable
            heads={['Lane', 'Waiting', 'Commits', 'Writes', 'A commit']}
            numbers={['Waiting', 'Commits', 'Writes', 'A commit']}
            hasActions={false}
          >
            {lanes.map(({ name, waiting, commits, operations, mean_ms }) => (
              <Row key={name}>
                <Cell>{name}</Cell>
                <Cell of="Waiting" isNumber>
                  {count(waiting)}
                </Cell>
                <Cell of="Commits" isNumber>
                  {count(commits)}
                </Cell>
                <Cell of="Writes" isNumber>
                  {count(operations)}
                </Cell>
                <Cell of="A commit" isNumber>
                  {duration(mean_ms)}
                </Cell>
              </Row>
            ))}
          </RowTable>
        )}
      </div>
    </Card>
  )
}
