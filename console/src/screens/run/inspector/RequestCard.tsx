// The request that the run waits for, answered in place.
import type { HumanRequest } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../../app/session.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { RequestForm } from '../../../parts/request/RequestForm.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { useRunAddress } from '../address.ts'
import style from './RequestCard.module.css'

export function RequestCard({ request }: { request: HumanRequest }) {
  const { linkTo } = useRunAddress()
  const { profile } = useSession()
  const forWhom =
    request.assignee_user_id === null ? 'for anybody' : request.assignee_user_id === profile.id ? 'for you' : 'assigned'
  return (
    <section className={style.card} aria-label="The run waits for this">
      <header>
        <StatusShape shape="human" />
        <h2>{visible(request.title)}</h2>
        <span className="small">
          {request.step !== undefined && (
            <>
              <Link className="link" {...linkTo({ step: request.step })}>
                step {request.step}
              </Link>{' '}
              ·{' '}
            </>
          )}
          {forWhom}
        </span>
      </header>
      <div className={style.body}>
        <RequestForm key={request.id} request={request} />
      </div>
    </section>
  )
}
