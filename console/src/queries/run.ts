// One run: why it is where it is, what belongs to it, and what it left. Each has a key of its own, since the events of a run that is at work
// come by the dozen and only some of them make some of these old (screens/run/useRunNews.ts).
import type { GetRunAnswer, RunEvent } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

type Run = GetRunAnswer['run']

/** What no event tells about a run that is at work is asked again after this. */
const askAgainMs = 10_000

const isActive = ({ completed_at: end }: Pick<Run, 'completed_at'>): boolean => end === null

/** Asked again when the run begins to wait, continues or ends. */
export const runWhyQuery = (run: Run) =>
  queryOptions({
    queryKey: ['runWhy', run.id, run.status, run.waiting_on?.since ?? ''],
    queryFn: ({ signal }) => runyard.runs.explain(run.id, { signal }),
    refetchInterval: isActive(run) ? askAgainMs : false,
  })

/** Its agent and build, how much there is of everything, its requests and the runs that it started. */
export const runAroundQuery = (run: Pick<Run, 'id' | 'agent_id' | 'completed_at'>) =>
  queryOptions({
    queryKey: ['runAround', run.id],
    queryFn: ({ signal }) => runyard.runs.getAgentRun(run.agent_id, run.id, { signal }),
    refetchInterval: isActive(run) ? askAgainMs : false,
  })

export const runFilesQuery = (runId: string, path?: string) =>
  queryOptions({
    queryKey: ['runFiles', runId, path ?? ''],
    queryFn: async ({ signal }) =>
      (await runyard.runs.listFiles(runId, path === undefined ? {} : { path }, { signal })).files,
  })

/** What is larger than 10 MiB comes without its content. */
export const runFileQuery = (runId: string, path: string) =>
  queryOptions({
    queryKey: ['runFile', runId, path],
    queryFn: ({ signal }) => runyard.runs.getFileContent(runId, { path }, { signal }),
  })

/** URLs of pictures are valid for an hour at least. */
export const runPicturesQuery = (runId: string) =>
  queryOptions({
    queryKey: ['runPictures', runId],
    queryFn: async ({ signal }) => (await runyard.runs.screenshots(runId, { signal })).screenshots,
    refetchInterval: 50 * 60_000,
  })

/** It has the last thousand steps with their inputs and outputs, so it is not asked for at every event. */
export const runReportQuery = (run: Run) =>
  queryOptions({
    queryKey: ['runReport', run.id, run.status],
    queryFn: async ({ signal }) => (await runyard.runs.report(run.agent_id, run.id, { signal })).report,
    refetchInterval: isActive(run) ? askAgainMs : false,
    placeholderData: keepPreviousData,
  })

/** No event tells that it is there. */
export const runEvaluationQuery = (run: Run) =>
  queryOptions({
    queryKey: ['runEvaluation', run.id, run.completed_at ?? ''],
    queryFn: async ({ signal }) => (await runyard.evaluations.get(run.agent_id, run.id, { signal })).data,
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'in_progress' ? 1500 : data === null && !isActive(run) ? 5000 : false,
  })

/** One step whole: arguments, result, the moments of the ledger, and what a retry from it would repeat. */
export const runStepQuery = (runId: string, step: number) =>
  queryOptions({
    queryKey: ['runStep', runId, step],
    queryFn: async ({ signal }) => (await runyard.runs.getStep(runId, String(step), { signal })).step,
    // an attempt that begins, and the process that makes it, have no event
    refetchInterval: ({ state: { data } }) => (data && data.completed_at === null ? 3000 : false),
  })

export const eventsAPage = 100

export const runEventsQuery = (runId: string, from: number) =>
  queryOptions({
    queryKey: ['run', runId, 'events', from],
    queryFn: ({ signal }) => runyard.runs.listEvents(runId, { limit: eventsAPage, offset: from }, { signal }).page(),
    placeholderData: keepPreviousData,
  })

/** The newest 200 deliveries of one kind of event. */
export const runDeliveriesQuery = (runId: string, event: RunEvent['event']) =>
  queryOptions({
    queryKey: ['run', runId, 'deliveries', event],
    queryFn: async ({ signal }) =>
      (await runyard.deliveries.list({ run_id: runId, event, limit: 200 }, { signal }).page()).deliveries,
  })
