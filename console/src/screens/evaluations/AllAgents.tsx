// All agents side by side: how many of their evaluated runs had no issue. A bar leads to the agent's own page.
import { useQuery } from '@tanstack/react-query'
import { counted } from '../../parts/amounts.ts'
import { BarList } from '../../parts/BarList.tsx'
import { Card } from '../../parts/Card.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { agentScoresQuery } from '../../queries/evaluations.ts'
import { percent } from './percent.ts'
import type { Span } from './search.ts'

export function AllAgents({ since, span }: { since: string; span: Span }) {
  const scores = useQuery(agentScoresQuery(since))
  return (
    <Shown query={scores} what="scores">
      {(rows) =>
        rows.length === 0 ? (
          <Empty icon="evaluations" title="No run was evaluated in this time" command="runyard call listAgentScores">
            Every run is checked soon after its end: six things by the service itself, and the rubrics of its build by a
            model.
          </Empty>
        ) : (
          <Card title="Agents" facts="runs without an issue">
            <BarList
              label="Runs without an issue, by agent"
              most={1}
              rows={rows.map((row) => ({
                key: row.agent_id,
                name: row.agent_name,
                mark: row.critical > 0 && <Tag tone="fail">{row.critical} critical</Tag>,
                value: row.pass_rate ?? 0,
                says: percent(row.pass_rate),
                detail: `${counted(row.evaluated, 'run')}, ${counted(row.with_issues, 'with issues', 'with issues')}`,
                link: {
                  to: '/evaluations',
                  search: { agent: row.agent_id, ...(span !== '30d' && { span }) },
                },
              }))}
            />
          </Card>
        )
      }
    </Shown>
  )
}
