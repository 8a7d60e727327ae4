// The evaluations of one agent: by day with its promotions, by build, by check, the worst runs, and whether people agree.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import layout from '../../parts/CardPage.module.css'
import { count, counted } from '../../parts/amounts.ts'
import { BarList } from '../../parts/BarList.tsx'
import { Card } from '../../parts/Card.tsx'
import { BarPlot, Legend } from '../../parts/Plot.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time, useNow } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { buildScoresQuery, buildsQuery, gateQuery } from '../../queries/agents.ts'
import { evalScoresQuery } from '../../queries/evaluations.ts'
import { eachDay, midnight } from '../usage/period.ts'
import { Agreement } from './Agreement.tsx'
import { percent } from './percent.ts'
import { WorstRuns } from './WorstRuns.tsx'

const route = getRouteApi('/frame/evaluations')
const dayMs = 86_400_000

export function AgentEvaluations({ agentId, since }: { agentId: string; since: string }) {
  return (
    <div className={layout.cards}>
      <div className={layout.column}>
        <ByDay agentId={agentId} since={since} />
        <WorstRuns agentId={agentId} since={since} />
      </div>
      <div className={layout.column}>
        <ByBuild agentId={agentId} />
        <ByCheck agentId={agentId} since={since} />
        <Agreement agentId={agentId} since={since} />
      </div>
    </div>
  )
}

interface OfAgent {
  agentId: string
  since: string
}

function ByDay({ agentId, since }: OfAgent) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const scores = useQuery(evalScoresQuery(agentId, since, search.build))
  const builds = useQuery(buildsQuery(agentId))
  const until = new Date((Math.floor(useNow(3_600_000) / dayMs) + 1) * dayMs).toISOString()
  const promotions =
    builds.data?.builds.flatMap(({ published_at, revision_number }) =>
      published_at === null ? [] : [{ at: published_at, label: `build ${revision_number}` }],
    ) ?? []
  return (
    <Shown query={scores} what="scores by day" rows={5}>
      {({ series, total_evaluated, with_issues }) => {
        const days = eachDay({ since: since.slice(0, 10), until: until.slice(0, 10) })
        const known = new Map(series.map((row) => [row.day, row]))
        const plotted = [
          {
            label: 'without an issue',
            color: 'done' as const,
            values: days.map((day) => (known.get(day)?.evaluated ?? 0) - (known.get(day)?.with_issues ?? 0)),
          },
          {
            label: 'with issues',
            color: 'failed' as const,
            values: days.map((day) => known.get(day)?.with_issues ?? 0),
          },
        ]
        if (total_evaluated === 0)
          return (
            <Empty icon="evaluations" title="No run of this agent was evaluated in this time">
              A run is checked soon after its end.
            </Empty>
          )
        return (
          <Card
            title="Evaluated runs by day"
            facts={`${percent((total_evaluated - with_issues) / total_evaluated)} of ${count(total_evaluated)} without an issue`}
            aside={<Legend series={plotted} />}
          >
            <div className={layout.plot}>
              <BarPlot
                label="Evaluated runs by day"
                starts={days.map(midnight)}
                end={until}
                zone="UTC"
                series={plotted}
                marks={promotions}
                selection={{ since: search.since, until: search.until }}
                onSelect={(from, to) =>
                  void navigate({
                    search: (now) => ({ ...now, since: from, until: to, page: undefined }),
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
            </div>
            <p className={layout.note}>
              A dashed line is a promotion. Click a day, or drag over several, to see their runs below.
            </p>
          </Card>
        )
      }}
    </Shown>
  )
}

function ByBuild({ agentId }: { agentId: string }) {
  const search = route.useSearch()
  const builds = useQuery(buildsQuery(agentId))
  const scores = useQuery(buildScoresQuery(agentId))
  const gate = useQuery(gateQuery(agentId))
  const forced = new Set(gate.data?.forced_promotions.map(({ build_id }) => build_id))
  const least = gate.data?.promotion_gate?.min_score
  return (
    <Card
      title="Score by build"
      facts={least === undefined ? 'its latest runs' : `its latest runs; the gate asks for ${percent(least)}`}
    >
      <Shown query={builds} what="builds" rows={4}>
        {({ builds: rows }) => {
          const scored = rows.flatMap((build) => {
            const found = scores.data?.find(({ build_id }) => build_id === build.id)
            return found && found.evaluated_runs > 0 ? [{ build, ...found }] : []
          })
          if (scored.length === 0) return <p className={layout.note}>No build has evaluated runs yet.</p>
          return (
            <BarList
              label="Score by build, the newest first"
              most={1}
              rows={scored.map(({ build, score, evaluated_runs }) => ({
                key: build.id,
                name: `${build.revision_number} ${build.revision_name ?? build.name}`,
                mark: (
                  <>
                    {build.status === 'live' && <Tag tone="live">live</Tag>}
                    {forced.has(build.id) && (
                      <Tag tone="wait" title="It was promoted although the gate refused it">
                        forced
                      </Tag>
                    )}
                    {build.status !== 'live' && build.published_at !== null && (
                      <Tag>
                        promoted <Time at={build.published_at} />
                      </Tag>
                    )}
                  </>
                ),
                value: score ?? 0,
                says: percent(score),
                detail: counted(evaluated_runs, 'run'),
                isBad: score !== null && least !== undefined && score < least,
                link: {
                  to: '/evaluations',
                  search: { ...search, build: search.build === build.id ? undefined : build.id, page: undefined },
                },
              }))}
            />
          )
        }}
      </Shown>
    </Card>
  )
}

function ByCheck({ agentId, since }: OfAgent) {
  const search = route.useSearch()
  const scores = useQuery(evalScoresQuery(agentId, since, search.build))
  return (
    <Card title="Checks that fail most">
      <Shown query={scores} what="checks" rows={4}>
        {({ flag_distribution, total_evaluated }) =>
          flag_distribution.length === 0 ? (
            <p className={layout.note}>No check failed in this time.</p>
          ) : (
            <BarList
              label="Checks that fail most"
              rows={flag_distribution.map(({ flag, label, count: runs }) => ({
                key: flag,
                name: visible(label),
                value: runs,
                says: counted(runs, 'run'),
                detail: `${percent(runs / total_evaluated)} of them`,
                isBad: true,
                link: {
                  to: '/evaluations',
                  search: { ...search, flag: search.flag === flag ? undefined : flag, page: undefined },
                },
              }))}
            />
          )
        }
      </Shown>
    </Card>
  )
}
