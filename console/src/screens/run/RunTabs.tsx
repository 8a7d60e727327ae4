// The tabs of a run, with how much there is in each.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Tabs } from '../../parts/Tabs.tsx'
import { runAroundQuery } from '../../queries/run.ts'
import { useRunAddress } from './address.ts'
import style from './RunTabs.module.css'
import { runTabs, type RunTab } from './search.ts'

const names: Record<RunTab, string> = {
  timeline: 'Timeline',
  messages: 'Messages',
  report: 'Report',
  evaluation: 'Evaluation',
  events: 'Events',
  files: 'Files',
  compare: 'Compare',
  raw: 'Raw',
}

export function RunTabs({ run }: { run: GetRunAnswer['run'] }) {
  const { search, linkTo } = useRunAddress()
  const { data } = useQuery(runAroundQuery(run))
  const open = search.tab ?? 'timeline'
  const counts: Partial<Record<RunTab, number | undefined>> = {
    timeline: run.usage.steps,
    messages: data?.messages_total,
    files: data?.files_total,
  }
  return (
    <div className={style.tabs}>
      <Tabs
        label="Of this run"
        tabs={runTabs.map((tab) => ({
          label: names[tab],
          count: counts[tab] || undefined,
          isOpen: tab === open,
          link: linkTo({ tab: tab === 'timeline' ? undefined : tab, file: undefined, page: undefined }),
        }))}
      />
    </div>
  )
}
