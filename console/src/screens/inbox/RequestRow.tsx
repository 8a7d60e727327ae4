// One request in the list: what it is, who asks, since when, and how long there is time.
import type { InboxRequest } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { duration } from '../../parts/amounts.ts'
import { useAnswerer } from '../../parts/request/Outcome.tsx'
import { approvalsSentence, outcomeWords, timeLeft, typeIcon, typeWord } from '../../parts/request/words.ts'
import { useNow } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import style from './RequestList.module.css'

interface Props {
  request: InboxRequest
  isOpen: boolean
  /** When it comes back, of one that was put aside. */
  until?: number | undefined
}

export function RequestRow({ request, isOpen, until }: Props) {
  const { profile } = useSession()
  const now = useNow(10_000)
  const age = ageOf(request, now)
  return (
    <Link
      to="/inbox"
      search={(before) => ({ ...before, request: request.id })}
      className={classes(style.row, request.status !== 'pending' && style.closed)}
      activeProps={{}}
      aria-current={isOpen ? 'true' : undefined}
      data-request={request.id}
    >
      <span className={style.what}>
        <Icon name={typeIcon[request.type]} size={14} />
        <span className="cut">
          {typeWord[request.type]} · {visible(request.run.agent_name)}
        </span>
        <span
          className={style.age}
          title={request.responded_at === null ? 'since it was asked' : 'since it was closed'}
        >
          {age}
        </span>
      </span>
      <b className={classes('cut', style.title)}>{visible(request.title)}</b>
      <span className={style.left}>
        {request.status === 'pending' ? (
          <Left request={request} until={until} now={now} />
        ) : (
          <Closed request={request} />
        )}
        {request.status === 'pending' && request.assignee_user_id === profile.id && <i>you</i>}
      </span>
    </Link>
  )
}

/** Since it was asked, or since it was closed: `25 min`. */
function ageOf({ created_at, responded_at }: InboxRequest, now: number): string {
  const ms = now - new Date(responded_at ?? created_at).getTime()
  return ms < 60_000 ? 'now' : duration(ms).split(' ').slice(0, 2).join(' ')
}

function Left({ request, until, now }: { request: InboxRequest; until: number | undefined; now: number }) {
  if (until !== undefined) return <span>comes back in {duration(Math.max(60_000, until - now))}</span>
  const { says, isNear } = timeLeft(request, now)
  const approvals = request.expires_at === null ? approvalsSentence(request) : undefined
  if (approvals !== undefined) return <span>{approvals}</span>
  return (
    <span className={classes(isNear && style.near)}>
      {isNear && <StatusShape shape="human" size={14} />}
      {says}
    </span>
  )
}

function Closed({ request }: { request: InboxRequest }) {
  const who = useAnswerer(request)
  const words = visible(outcomeWords(request))
  return <span className="cut">{who === undefined ? words : `${visible(who)} ${words}`}</span>
}
