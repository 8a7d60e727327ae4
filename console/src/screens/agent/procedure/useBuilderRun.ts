// The builder run of the build in the editor: read again and again while it is at work.
import type { Build, BuilderRun } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { runyard } from '../../../app/client.ts'

export interface BuilderState {
  run: BuilderRun | undefined
  /** It writes, asks or waits to be accepted: nobody else can change the draft. */
  isActive: boolean
  isWorking: boolean
}

const workingMs = 700
const activeMs = 4000

const isWorking = (run: BuilderRun | undefined): boolean => run?.status === 'pending' || run?.status === 'running'
const isActive = (run: BuilderRun | undefined): boolean =>
  isWorking(run) || run?.status === 'waiting' || run?.status === 'review'

export const builderRunKey = (agentId: string, builderRunId: string) => ['agent', agentId, 'builderRun', builderRunId]

export function useBuilderRun(agentId: string, { builder_run_id }: Build): BuilderState {
  const { data: run } = useQuery({
    queryKey: builderRunKey(agentId, builder_run_id ?? ''),
    queryFn: async ({ signal }) =>
      (await runyard.agents.getBuilderRunStatus(builder_run_id ?? '', { signal })).builder_run,
    // most builds were written by people
    enabled: builder_run_id !== null,
    refetchInterval: ({ state }) => (isWorking(state.data) ? workingMs : isActive(state.data) ? activeMs : false),
  })
  return { run, isActive: isActive(run), isWorking: isWorking(run) }
}
