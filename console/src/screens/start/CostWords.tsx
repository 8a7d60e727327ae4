// What the run may cost, in a sentence: what runs of the agent usually cost, and the limit.
import type { Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { duration, money } from '../../parts/amounts.ts'
import { limitOfBuild, limitsOf, type LimitTexts } from './limits.ts'
import style from './StartRun.module.css'

export function CostWords({
  agentId,
  build,
  limits,
}: {
  agentId: string
  build: Build | undefined
  limits: LimitTexts
}) {
  const { data } = useQuery({
    queryKey: ['agentFigures', agentId],
    queryFn: async ({ signal }) =>
      (await runyard.agents.figures({ agent_ids: agentId }, { signal }).page()).agent_figures[0],
  })
  const given = Number(limitsOf(limits)?.max_cost_usd ?? Number.NaN)
  const ofBuild = limitOfBuild(build, 'max_cost_usd')
  const most = Number.isNaN(given) ? ofBuild : Math.min(given, ofBuild ?? given)
  const usual =
    data && data.median_cost_usd !== null
      ? `Usually ${money(data.median_cost_usd)}${data.median_duration_ms === null ? '' : ` and ${duration(data.median_duration_ms)}`}. `
      : ''
  return (
    <p className={style.cost}>
      {usual}
      {most === undefined ? 'No limit of cost is set.' : `It may cost up to ${money(most)}.`}
    </p>
  )
}
