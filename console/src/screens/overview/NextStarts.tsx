// What starts next by the clock.
import type { NextStart } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { useSetting, zoneOf } from '../../app/settings.ts'
import { Icon } from '../../look/Icon.tsx'
import { Card } from '../../parts/Card.tsx'
import { Time } from '../../parts/Time.tsx'
import rows from './rows.module.css'

const shownMax = 5

/** Null: the person may not see agents. */
export function NextStarts({ starts }: { starts: NextStart[] | null }) {
  const zone = zoneOf(useSetting('zone'))
  if (starts === null) return null
  return (
    <Card title="Next starts" aside={zone}>
      {starts.length === 0 ? (
        <p className={rows.nothing}>No schedule is on. An agent’s page has them.</p>
      ) : (
        <ol className={rows.rows}>
          {starts.slice(0, shownMax).map(({ schedule_id, agent_id, agent_name, next_run_at }) => (
            <li key={schedule_id}>
              <Link
                to="/agents/$agentId"
                params={{ agentId: agent_id }}
                search={{ tab: 'schedules' }}
                className={rows.row}
              >
                <Icon name="clock" />
                <span className={`${rows.name} ${rows.wide}`}>{agent_name}</span>
                <span className={rows.said}>
                  <Time at={next_run_at} kind="clock" />, <Time at={next_run_at} />
                </span>
              </Link>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
