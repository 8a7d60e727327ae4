// The card of builds that went live past a gate: who did it, what the gate wanted, and why.
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/Card.tsx'
import { Time } from '../../parts/Time.tsx'
import { buildsQuery } from '../../queries/agents.ts'
import { membersQuery } from '../../queries/team.ts'
import style from './ForcedPromotions.module.css'

interface Forced {
  id: string
  build_id: string
  forced_by: string | null
  created_at: string
  reason: string
}

interface Props<T> {
  agentId: string
  title: string
  promotions: T[]
  /** What the build had, and what the gate wanted. */
  words: (promotion: T) => string
}

export function ForcedPromotions<T extends Forced>({ agentId, title, promotions, words }: Props<T>) {
  const builds = useQuery(buildsQuery(agentId))
  const members = useQuery(membersQuery)
  const numberOf = (id: string) => builds.data?.builds.find((build) => build.id === id)?.revision_number
  const nameOf = (id: string | null) => members.data?.members.find((member) => member.id === id)?.name ?? 'somebody'
  return (
    <Card title={title}>
      <ul className={style.forced}>
        {promotions.map((promotion) => (
          <li key={promotion.id}>
            <p>
              <b>Build {numberOf(promotion.build_id) ?? '?'}</b> by {nameOf(promotion.forced_by)},{' '}
              <Time at={promotion.created_at} />: {words(promotion)}
            </p>
            <q>{promotion.reason}</q>
          </li>
        ))}
      </ul>
    </Card>
  )
}
