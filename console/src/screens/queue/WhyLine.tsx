// One line that says why cases of the queue wait, when they do.
import type { Queue } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { StatusShape } from '../../look/StatusShape.tsx'
import { counted } from '../../parts/amounts.ts'
import { visible } from '../../parts/visibleText.ts'
import { queueWhyQuery } from '../../queries/queues.ts'
import style from './WhyLine.module.css'

export function WhyLine({ queue }: { queue: Queue }) {
  const { data } = useQuery(queueWhyQuery(queue.id))
  const [first, ...others] = data?.reasons ?? []
  if (!data || !first || (data.facts.waiting === 0 && first.code !== 'connection' && first.code !== 'guardrail'))
    return null
  return (
    <p className={style.why} role="status">
      <StatusShape shape="human" size={14} />
      <span>
        {data.facts.waiting > 0 && <b>{counted(data.facts.waiting, 'case waits', 'cases wait')}. </b>}
        {visible(first.says)}{' '}
        <Link className="link" to="/queues/$queueId" params={{ queueId: queue.id }} search={{ tab: 'work' }}>
          {others.length === 0 ? 'See the work' : `And ${counted(others.length, 'other reason')}`}
        </Link>
      </span>
    </p>
  )
}
