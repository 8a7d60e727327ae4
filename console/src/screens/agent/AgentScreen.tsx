// One agent: its procedure and builds, and everything that starts, remembers and judges its runs.
import type { Agent, Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState, type ComponentType } from 'react'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { agentQuery, buildQuery, buildsQuery } from '../../queries/agents.ts'
import { AgentBar, BackToAgents } from './AgentBar.tsx'
import style from './AgentScreen.module.css'
import { DraftProvider } from './draft/DraftProvider.tsx'
import type { AgentTab } from './search.ts'

const route = getRouteApi('/frame/agents/$agentId')

export interface TabProps {
  agent: Agent
}

/** The code of a tab comes when it is first opened. */
const tabs: Record<AgentTab, ComponentType<TabProps>> = {
  procedure: lazy(() => import('./procedure/ProcedureTab.tsx')),
  builds: lazy(() => import('./builds/BuildsTab.tsx')),
  schedules: lazy(() => import('./schedules/SchedulesTab.tsx')),
  memory: lazy(() => import('./memory/MemoryTab.tsx')),
  rubrics: lazy(() => import('./rubrics/RubricsTab.tsx')),
  replays: lazy(() => import('./replay/ReplayTab.tsx')),
  suggestions: lazy(() => import('./suggestions/SuggestionsTab.tsx')),
  triggers: lazy(() => import('./triggers/TriggersTab.tsx')),
  runs: lazy(() => import('./runs/RunsTab.tsx')),
}

export function AgentScreen() {
  const { agentId } = route.useParams()
  // another agent begins with a state of its own
  return <OneAgent key={agentId} agentId={agentId} />
}

function OneAgent({ agentId }: { agentId: string }) {
  const { tab = 'procedure' } = route.useSearch()
  const navigate = route.useNavigate()
  const agent = useQuery(agentQuery(agentId))
  const build = useOpenBuild(agentId)
  const error = agent.error ?? build.error
  const Tab = tabs[tab]
  if (!agent.data || !build.data) {
    return (
      <>
        <Bar title={<Crumbs back={<BackToAgents />} here={agent.data?.name ?? ''} />} />
        <main className={style.main}>
          {error ? <Failed error={error} onRetry={() => void build.retry()} /> : <Skeleton what="the agent" />}
        </main>
      </>
    )
  }
  const { id: shownId } = build.data
  const onOpen = (buildId: string) =>
    void navigate({
      search: (now) => (now.build === undefined && buildId === shownId ? now : { ...now, build: buildId }),
      replace: true,
    })
  return (
    <DraftProvider build={build.data} onOpen={onOpen}>
      <AgentBar agent={agent.data} tab={tab} />
      <main className={style.main}>
        <Suspense fallback={<Skeleton what="the agent" />}>
          <Tab agent={agent.data} />
        </Suspense>
      </main>
    </DraftProvider>
  )
}

/** The build of the address; without one the newest draft, if it is newer than the live build, else the live build. */
function useOpenBuild(agentId: string) {
  const { build: wanted } = route.useSearch()
  const builds = useQuery(buildsQuery(agentId))
  const [first, setFirst] = useState<string>()
  const usual = builds.data && usualBuild(builds.data.builds)
  // a draft that somebody else makes in the meantime does not replace what is being read
  if (first === undefined && usual) setFirst(usual.id)
  const id = wanted ?? first
  const build = useQuery({ ...buildQuery(agentId, id ?? ''), enabled: id !== undefined })
  const retry = () => Promise.all([builds.refetch(), id === undefined ? undefined : build.refetch()])
  return { data: build.data, error: build.error ?? builds.error, retry }
}

const usualBuild = ([newest, ...others]: Build[]): Build | undefined =>
  newest?.status === 'draft' ? newest : [newest, ...others].find((build) => build?.status === 'live')
