// Usage by agent: a bar leads to the runs of the agent in that time.
import type { BillingUsage } from '@runyard/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { BarList } from '../../parts/BarList.tsx'
import { Card } from '../../parts/Card.tsx'
import layout from '../../parts/CardPage.module.css'
import { Tag } from '../../parts/Tag.tsx'
import type { UsageDays } from '../../queries/usage.ts'
import { agentWords, measured, measuredWords, otherWords, runsOf } from './amounts.ts'
import type { Measure } from './search.ts'
import style from './UsageScreen.module.css'

const route = getRouteApi('/frame/usage')
/** How many agents are shown at first. */
const fewMax = 10
const rowsMax = 500

export function ByAgent({ usage, days, show }: { usage: BillingUsage; days: UsageDays; show: Measure }) {
  const search = route.useSearch()
  const rows = usage.by_agent.toSorted((one, other) => measured(show, other) - measured(show, one))
  const shown = rows.slice(0, search.agents === 'all' ? rowsMax : fewMax)
  return (
    <Card title="By agent" facts={shown.length < rows.length && `the first ${shown.length} of ${rows.length}`}>
      {rows.length === 0 ? (
        <p className={layout.note}>No agent was used in this time.</p>
      ) : (
        <BarList
          label="Usage by agent"
          rows={shown.map((row) => ({
            key: row.agent_id,
            name: agentWords(row.agent_name),
            mark: row.is_artifact && <Tag>artifact</Tag>,
            value: measured(show, row),
            says: measuredWords(show, measured(show, row)),
            detail: otherWords(show, row),
            link: runsOf(row.agent_id, row.is_artifact, days),
          }))}
        />
      )}
      {search.agents === undefined && rows.length > fewMax && (
        <p className={style.more}>
          <Link className="link" to="/usage" search={{ ...search, agents: 'all' }} replace>
            Show all {rows.length}
          </Link>
        </p>
      )}
    </Card>
  )
}
