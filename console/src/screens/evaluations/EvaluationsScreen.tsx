// Evaluations: how well the agents do, and of one agent its days, builds, checks and worst runs, beside what people think.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import layout from '../../parts/CardPage.module.css'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Switch } from '../../parts/Switch.tsx'
import { useNow } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { agentQuery } from '../../queries/agents.ts'
import { AgentEvaluations } from './AgentEvaluations.tsx'
import { AllAgents } from './AllAgents.tsx'
import { SaveScores } from './SaveScores.tsx'
import { spans, type Span } from './search.ts'

const route = getRouteApi('/frame/evaluations')
const names: Record<Span, string> = { '7d': '7 days', '30d': '30 days', '90d': '90 days' }
const dayMs = 86_400_000

/** Today, and the days of UTC before it. */
const beginOf = (span: Span, now: number): string =>
  new Date((Math.floor(now / dayMs) + 1 - Number.parseInt(span, 10)) * dayMs).toISOString()

export function EvaluationsScreen() {
  const search = route.useSearch()
  const { agent: agentId, span = '30d' } = search
  const since = beginOf(span, useNow(3_600_000))
  const agent = useQuery({ ...agentQuery(agentId ?? ''), enabled: agentId !== undefined })
  return (
    <>
      {agentId === undefined ? (
        <Bar title="Evaluations">
          <span className={layout.wide}>
            <CopyAs operation="listAgentScores" input={{ since }} />
          </span>
        </Bar>
      ) : (
        <Bar
          title={
            <Crumbs
              back={
                <Link to="/evaluations" search={span === '30d' ? {} : { span }}>
                  Evaluations
                </Link>
              }
              here={<span className="cut">{visible(agent.data?.name ?? '')}</span>}
            />
          }
        >
          <span className={layout.wide}>
            <CopyAs operation="getEvalScores" params={{ agentId }} input={{ since }} />
          </span>
          <SaveScores agentId={agentId} since={since} />
        </Bar>
      )}
      <main className={layout.page}>
        <div className={layout.head}>
          <Switch
            label="Time"
            choices={spans.map((one) => ({
              label: names[one],
              isOpen: one === span,
              link: {
                to: '/evaluations',
                search: { ...(agentId !== undefined && { agent: agentId }), ...(one !== '30d' && { span: one }) },
              },
            }))}
          />
          <span className={layout.fact}>
            Each run counts once, by its latest evaluation, on the day (UTC) on which it ended.
          </span>
        </div>
        {agentId === undefined ? (
          <AllAgents since={since} span={span} />
        ) : (
          <AgentEvaluations key={agentId} agentId={agentId} since={since} />
        )}
      </main>
    </>
  )
}
