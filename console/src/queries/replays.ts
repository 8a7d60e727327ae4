// Replay sets of an agent, replays of its builds, and the report about one run of a replay.
import type { ListedReplayRun } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const replaySetsQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'replaySets'],
    queryFn: async ({ signal }) =>
      (await runyard.replays.listSets(agentId, { limit: 100 }, { signal }).page()).replay_sets,
  })

export const replayGateQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'replayGate'],
    queryFn: ({ signal }) => runyard.replays.getGate(agentId, { signal }),
  })

/** No event tells how far a replay is. */
const lookAgainMs = 1000

export const replaysQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'replays'],
    queryFn: async ({ signal }) => (await runyard.replays.list(agentId, { limit: 20 }, { signal }).page()).replays,
    refetchInterval: ({ state }) => (state.data?.some((replay) => replay.state === 'running') ? lookAgainMs : false),
  })

export type ShownVerdict = NonNullable<ListedReplayRun['verdict']> | 'all'

export const replayRunsQuery = (replayId: string, isRunning: boolean, verdict: ShownVerdict) =>
  queryOptions({
    queryKey: ['replay', replayId, 'runs', isRunning, verdict],
    queryFn: ({ signal }) =>
      runyard.replays.listRuns(replayId, { limit: 200, ...(verdict !== 'all' && { verdict }) }, { signal }).page(),
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? lookAgainMs * 2 : false,
  })

export const replayRunQuery = (replayRunId: string) =>
  queryOptions({
    queryKey: ['replayRun', replayRunId],
    queryFn: async ({ signal }) => (await runyard.replays.getRun(replayRunId, { signal })).replay_run,
  })
