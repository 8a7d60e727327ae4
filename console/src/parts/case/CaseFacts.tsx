// Small facts of a case that several screens show: its labels, and who holds it.
import type { Case } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { membersQuery } from '../../queries/team.ts'
import { visible } from '../visibleText.ts'
import style from './CaseFacts.module.css'
import { labelWords } from './words.ts'

type Label = Case['labels'][number]

export function LabelTag({ label }: { label: Label }) {
  const words = visible(labelWords(label))
  return (
    <span className={style.label} title={words}>
      <i style={{ background: `hsl(${label.color_hue} 55% 50%)` }} />
      <span className="cut">{words}</span>
    </span>
  )
}

export function Labels({ labels, most = Infinity }: { labels: Label[]; most?: number }) {
  if (labels.length === 0) return null
  return (
    <span className={style.labels}>
      {labels.slice(0, most).map((label) => (
        <LabelTag key={label.id} label={label} />
      ))}
      {labels.length > most && <span className="dim small">+{labels.length - most}</span>}
    </span>
  )
}

/** `you`, a member by name, or a run. Nothing while nobody holds it. */
export function Holder({ item, isLink = true }: { item: Case; isLink?: boolean }) {
  const { profile } = useSession()
  const { claimed_by_run_id: run, claimed_by_user_id: member } = item
  const { data } = useQuery({ ...membersQuery, enabled: member !== null && member !== profile.id })
  if (run !== null)
    return (
      <span className={style.holder} title={`Held by the run ${run}`}>
        <Icon name="runs" size={13} />
        {isLink ? (
          <Link className="link" to="/runs/$runId" params={{ runId: run }}>
            a run
          </Link>
        ) : (
          'a run'
        )}
      </span>
    )
  if (member === null) return null
  const name = member === profile.id ? 'you' : (data?.members.find(({ id }) => id === member)?.name ?? 'a member')
  return (
    <span className={style.holder} title={`Held by ${visible(name)}`}>
      <Icon name="user" size={13} />
      <span className="cut">{visible(name)}</span>
    </span>
  )
}
