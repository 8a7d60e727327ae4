// Below the list: what was answered last, so that one sees that others are at it too.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { runyard } from '../../app/client.ts'
import { useAnswerer } from '../../parts/request/Outcome.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import style from './InboxScreen.module.css'

export function LastAnswered() {
  const { data } = useQuery({
    queryKey: ['requests', 'last'],
    queryFn: ({ signal }) => runyard.humanRequests.list({ status: 'closed', limit: 1 }, { signal }).page(),
  })
  const [last] = data?.human_requests ?? []
  const who = useAnswerer(last ?? { responded_by: null })
  if (!last || last.responded_at === null) return null
  return (
    <p className={style.last}>
      {who === undefined ? 'Last closed' : 'Last answered'}:{' '}
      <Link to="/inbox" search={{ list: 'done', request: last.id }}>
        “{visible(last.title)}”
      </Link>
      {who !== undefined && <>, by {who === 'You' ? 'you' : visible(who)}</>}, <Time at={last.responded_at} />.
    </p>
  )
}
