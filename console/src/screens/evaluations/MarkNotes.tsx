// What people wrote with their marks of a run: who, how they marked it, and the note.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../app/session.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { membersQuery } from '../../queries/team.ts'
import style from './EvaluationsScreen.module.css'

interface Written {
  member_id: string
  verdict: 'good' | 'bad'
  note: string | null
  marked_at?: string
}

export function MarkNotes({ marks }: { marks: Written[] }) {
  const { profile } = useSession()
  const hasOthers = marks.some(({ member_id }) => member_id !== profile.id)
  const { data } = useQuery({ ...membersQuery, enabled: hasOthers })
  const nameOf = (id: string) =>
    id === profile.id ? 'You' : (data?.members.find((member) => member.id === id)?.name ?? 'A member')
  if (marks.length === 0) return null
  return (
    <ul className={style.notes} aria-label="Marks of people">
      {marks.map(({ member_id, verdict, note, marked_at }) => (
        <li key={member_id}>
          <Tag tone={verdict === 'good' ? 'pass' : 'fail'}>{verdict}</Tag> <b>{visible(nameOf(member_id))}</b>
          {note !== null && <span> {visible(note)}</span>}
          {marked_at !== undefined && (
            <span className="dim small">
              {' '}
              <Time at={marked_at} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
