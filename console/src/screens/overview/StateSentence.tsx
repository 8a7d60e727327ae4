// The state of the team in words. Every number is a link to what it counts.
import type { GetOverviewAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { StatusShape } from '../../look/StatusShape.tsx'
import { counted, duration } from '../../parts/amounts.ts'
import { useNow } from '../../parts/Time.tsx'
import { requestCountsQuery } from '../../queries/requests.ts'
import style from './StateSentence.module.css'

export function StateSentence({ overview }: { overview: GetOverviewAnswer }) {
  const { active, waiting_for_person, failures, connections, delivery_targets } = overview
  const failed = failures.rows.reduce((sum, { runs }) => sum + runs, 0)
  const isQuiet = waiting_for_person === 0 && active === 0 && failed === 0
  return (
    <p className={style.sentence}>
      {isQuiet ? <b>All is quiet. </b> : null}
      <Waiting count={waiting_for_person} />
      {active > 0 && (
        <>
          <Link to="/runs" search={{ status: 'pending,running,waiting' }} className={style.running}>
            <StatusShape shape="running" size={20} />
            <b>{counted(active, 'run')}</b>
          </Link>{' '}
          {active === 1 ? 'is' : 'are'} under way.{' '}
        </>
      )}
      {failed > 0 && <Failed failures={failures} count={failed} />}
      {needLook(connections?.length ?? 0, delivery_targets?.length ?? 0)}
    </p>
  )
}

function Waiting({ count }: { count: number }) {
  const { data } = useQuery(requestCountsQuery)
  const now = useNow(10_000)
  const requests = data?.total ?? count
  if (requests === 0) return <>No request waits for a person. </>
  const deadline = data?.next_deadline_at
  const left = deadline ? new Date(deadline).getTime() - now : undefined
  return (
    <>
      <Link to="/inbox" className={style.waiting}>
        <StatusShape shape="human" size={20} />
        <b>{counted(requests, 'request')}</b>
      </Link>{' '}
      {requests === 1 ? 'waits' : 'wait'} for a person
      {data && data.assigned_to_me > 0 && <>, {data.assigned_to_me} for you</>}
      {left !== undefined && left > 0 && (
        <>
          ; the closest deadline is in <b>{roughly(left)}</b>
        </>
      )}
      .{' '}
    </>
  )
}

function Failed({ failures, count }: { failures: GetOverviewAnswer['failures']; count: number }) {
  const [worst] = failures.rows
  return (
    <>
      <Link to="/runs" search={{ status: 'failed', since: failures.since }} className={style.failed}>
        <StatusShape shape="failed" size={20} />
        <b>
          {counted(count, 'run')}
          {failures.is_cut ? ' and more' : ''}
        </b>
      </Link>{' '}
      failed since yesterday
      {worst && worst.runs > 1 && worst.runs < count && (
        <>
          , {worst.runs} of them in{' '}
          <Link to="/runs" search={{ status: 'failed', since: failures.since, agent_id: worst.agent_id }}>
            <b>{worst.agent_name}</b>
          </Link>
        </>
      )}
      {worst && worst.runs === count && (
        <>
          , all in{' '}
          <Link to="/runs" search={{ status: 'failed', since: failures.since, agent_id: worst.agent_id }}>
            <b>{worst.agent_name}</b>
          </Link>
        </>
      )}
      .{' '}
    </>
  )
}

/** A deadline that is far needs no seconds. */
const roughly = (ms: number): string => (ms > 600_000 ? duration(Math.round(ms / 60_000) * 60_000) : duration(ms))

function needLook(connections: number, targets: number): string | null {
  const parts = [
    connections > 0 && counted(connections, 'connection'),
    targets > 0 && counted(targets, 'webhook target'),
  ].filter((part) => part !== false)
  if (parts.length === 0) return null
  return `${parts.join(' and ')} ${connections + targets === 1 ? 'needs' : 'need'} a look.`
}
