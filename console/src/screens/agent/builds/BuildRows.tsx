// Builds in rows: number, name, score and age. A click opens one in the editor.
import type { Agent, Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { counted } from '../../../parts/amounts.ts'
import { Tag } from '../../../parts/Tag.tsx'
import { exactTime, relativeTime, useNow } from '../../../parts/Time.tsx'
import { useSetting, zoneOf } from '../../../app/settings.ts'
import { buildScoresQuery } from '../../../queries/agents.ts'
import { AgentLink } from '../AgentLink.tsx'
import { buildTitle } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import style from './BuildRows.module.css'

export function BuildRows({ agent, builds }: { agent: Agent; builds: Build[] }) {
  const { unable } = useSession()
  const { working, errors } = useDraft()
  const scores = useQuery({ ...buildScoresQuery(agent.id), enabled: unable('evals:read') === undefined })
  const now = useNow(10_000)
  const zone = zoneOf(useSetting('zone'))
  return (
    <ol className={style.rows}>
      {builds.map((build) => {
        const { id, revision_number, status, updated_at, published_at, created_at } = build
        const score = scores.data?.find((one) => one.build_id === id)
        const isOpen = id === working.base.id
        const at = status === 'draft' ? updated_at : (published_at ?? created_at)
        return (
          <li key={id}>
            <AgentLink change={{ build: id }} isOpen={isOpen} className={classes(style.row, isOpen && style.open)}>
              <b>{revision_number}</b>
              <span className={style.name}>{buildTitle(build)}</span>
              {isOpen && errors > 0 && <Tag tone="fail">{counted(errors, 'error')}</Tag>}
              {status === 'live' && <Tag tone="live">live</Tag>}
              {score?.score !== null && score?.score !== undefined && (
                <span
                  className={style.score}
                  title={`Score of the last ${counted(score.evaluated_runs, 'evaluated run')}`}
                >
                  {score.score.toFixed(2)}
                </span>
              )}
              <time dateTime={at} title={exactTime(at, zone)}>
                {relativeTime(at, Math.max(now, Date.parse(at)))
                  .replace(' ago', '')
                  .replace('just now', 'now')}
              </time>
            </AgentLink>
          </li>
        )
      })}
    </ol>
  )
}
