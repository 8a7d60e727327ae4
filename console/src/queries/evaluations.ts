// How runs were evaluated: by agent, by day, by build and check, the worst of them, and what people think of them.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

const againMs = 60_000

export const agentScoresQuery = (since: string) =>
  queryOptions({
    queryKey: ['evaluations', 'agents', since],
    queryFn: async ({ signal }) => (await runyard.teams.agentScores({ since }, { signal })).agent_scores,
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  })

export const evalScoresQuery = (agentId: string, since: string, buildId: string | undefined) =>
  queryOptions({
    queryKey: ['evaluations', 'scores', agentId, since, buildId],
    queryFn: ({ signal }) =>
      runyard.evaluations.scores(agentId, { since, ...(buildId && { revision_id: buildId }) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  })

interface WorstInput {
  since: string
  until?: string | undefined
  build_id?: string | undefined
  flag?: string | undefined
  limit: number
  offset: number
}

export const worstRunsQuery = (agentId: string, { until, build_id, flag, ...input }: WorstInput) =>
  queryOptions({
    queryKey: ['evaluations', 'worst', agentId, { until, build_id, flag, ...input }],
    queryFn: ({ signal }) =>
      runyard.evaluations
        .listRuns(
          agentId,
          { ...input, ...(until && { until }), ...(build_id && { build_id }), ...(flag && { flag }) },
          { signal },
        )
        .page(),
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  })

export const agreementQuery = (agentId: string, since: string) =>
  queryOptions({
    queryKey: ['evaluations', 'agreement', agentId, since],
    queryFn: ({ signal }) => runyard.evaluations.markAgreement(agentId, { since }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
  })

export const runMarksQuery = (runId: string) =>
  queryOptions({
    queryKey: ['evaluations', 'marks', runId],
    queryFn: async ({ signal }) => (await runyard.evaluations.listMarks(runId, { signal })).marks,
  })
