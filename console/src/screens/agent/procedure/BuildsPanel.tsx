// Beside the procedure: the newest builds, what the open one changes, and its promotion.
import type { Agent } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Icon } from '../../../look/Icon.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Shown } from '../../../parts/states.tsx'
import { buildDiffQuery, buildsQuery } from '../../../queries/agents.ts'
import { AgentLink } from '../AgentLink.tsx'
import { BuildDiff, changesIn, DiffCounts } from '../builds/BuildDiff.tsx'
import { BuildRows } from '../builds/BuildRows.tsx'
import { PromoteCard } from '../builds/PromoteCard.tsx'
import { useDraft } from '../draft/DraftProvider.tsx'
import style from './BuildsPanel.module.css'

const shownMax = 5

export function BuildsPanel({ agent }: { agent: Agent }) {
  const { working } = useDraft()
  const builds = useQuery(buildsQuery(agent.id))
  const { base } = working
  return (
    <>
      <Card
        title="Builds"
        aside={
          <AgentLink className="link" change={{ tab: 'builds' }}>
            Compare any two
          </AgentLink>
        }
      >
        <Shown query={builds} what="builds" rows={3}>
          {({ builds: all, total }) => (
            <>
              <BuildRows agent={agent} builds={around(all, base.id)} />
              {total > shownMax && (
                <AgentLink className={style.all} change={{ tab: 'builds' }}>
                  All {total} builds <Icon name="right" size={14} />
                </AgentLink>
              )}
            </>
          )}
        </Shown>
      </Card>
      {base.status !== 'live' && <Changes agent={agent} />}
      <PromoteCard agent={agent} build={base} />
    </>
  )
}

/** The newest ones, and the open one where it is older. */
function around<Row extends { id: string }>(all: Row[], openId: string): Row[] {
  const newest = all.slice(0, shownMax)
  const open = all.find(({ id }) => id === openId)
  return open && !newest.includes(open) ? [...newest.slice(0, shownMax - 1), open] : newest
}

function Changes({ agent }: { agent: Agent }) {
  const { working } = useDraft()
  const { base } = working
  const builds = useQuery(buildsQuery(agent.id))
  const diff = useQuery(buildDiffQuery(agent.id, base.id, undefined))
  const live = builds.data?.builds.find(({ status }) => status === 'live')
  const title = `${live?.revision_number ?? ''} → ${base.revision_number}`
  return (
    <Card
      title={title}
      facts={diff.data && changesIn(diff.data.diff)}
      aside={diff.data && <DiffCounts diff={diff.data.diff} />}
    >
      <div className={style.diff}>
        <Shown query={diff} what="what differs" rows={3}>
          {({ diff: found }) => <BuildDiff diff={found} />}
        </Shown>
      </div>
    </Card>
  )
}
