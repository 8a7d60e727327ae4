// Who did what to a case, when and why, the last first.
import type { GetCaseAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../app/session.tsx'
import { Icon, type IconName } from '../../look/Icon.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { membersQuery } from '../../queries/team.ts'
import style from './Timeline.module.css'

type CaseEvent = GetCaseAnswer['events'][number]

const known: Record<string, { says: string; icon: IconName }> = {
  created: { says: 'added it', icon: 'plus' },
  claimed: { says: 'took it', icon: 'user' },
  assigned: { says: 'assigned it', icon: 'user' },
  released: { says: 'released it', icon: 'left' },
  completed: { says: 'completed it', icon: 'check' },
  failed: { says: 'failed it', icon: 'cross' },
  postponed: { says: 'postponed it', icon: 'clock' },
  handed_over: { says: 'handed it over', icon: 'right' },
  reopened: { says: 'made it pending', icon: 'retry' },
  reprocessed: { says: 'sent it back to be worked on again', icon: 'retry' },
  updated: { says: 'changed it', icon: 'edit' },
  labels_changed: { says: 'changed its labels', icon: 'edit' },
}

export function Timeline({ events }: { events: CaseEvent[] }) {
  const { profile } = useSession()
  const hasOthers = events.some(({ user_id }) => user_id !== null && user_id !== profile.id)
  const { data } = useQuery({ ...membersQuery, enabled: hasOthers })
  const nameOf = (id: string): string =>
    id === profile.id ? 'You' : (data?.members.find((member) => member.id === id)?.name ?? 'A member')
  if (events.length === 0) return <p className={style.none}>Nothing happened to it yet.</p>
  return (
    <ol className={style.events}>
      {events.toReversed().map(({ id, type, run_id, user_id, reason, created_at }) => {
        const { says, icon } = known[type] ?? { says: visible(type.replaceAll('_', ' ')), icon: 'info' }
        return (
          <li key={id}>
            <Icon name={icon} size={14} />
            <span className={style.what}>
              {run_id !== null ? (
                <Link className="link" to="/runs/$runId" params={{ runId: run_id }}>
                  A run
                </Link>
              ) : user_id !== null ? (
                <b>{visible(nameOf(user_id))}</b>
              ) : (
                'The service'
              )}{' '}
              {says}
              {reason !== null && reason !== '' && <span className={style.reason}>{visible(reason)}</span>}
            </span>
            <span className={style.time}>
              <Time at={created_at} />
            </span>
          </li>
        )
      })}
    </ol>
  )
}
