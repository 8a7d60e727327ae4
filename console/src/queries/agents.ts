// Agents: their list, and everything about one of them.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export const agentQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId],
    queryFn: async ({ signal }) => (await runyard.agents.get(agentId, { signal })).agent,
  })

/** All agents of the team by name, for choosing one: the first 100. */
export const agentNamesQuery = queryOptions({
  queryKey: ['agents', 'names'],
  queryFn: async ({ signal }) => (await runyard.agents.list({ limit: 100 }, { signal }).page()).agents,
  staleTime: 60_000,
})

/** Those with these words in name or description; all without words. */
export const agentsQuery = (search: string | undefined, page: { limit: number; offset?: number }) =>
  queryOptions({
    queryKey: ['agents', 'list', search, page],
    queryFn: ({ signal }) =>
      search === undefined
        ? runyard.agents.list(page, { signal }).page()
        : runyard.agents.search({ search, ...page }, { signal }).page(),
    placeholderData: keepPreviousData,
  })

export const agentFiguresQuery = (agentIds: string[]) =>
  queryOptions({
    queryKey: ['agentFigures', agentIds],
    queryFn: async ({ signal }) =>
      (await runyard.agents.figures({ agent_ids: agentIds.join(','), limit: 100 }, { signal }).page()).agent_figures,
    enabled: agentIds.length > 0,
    placeholderData: keepPreviousData,
  })

/** The newest 100 builds; their long procedures may be cut, so the one that is shown is read by itself. */
export const buildsQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'builds'],
    queryFn: ({ signal }) => runyard.agents.listRevisions(agentId, { limit: 100 }, { signal }).page(),
  })

export const buildQuery = (agentId: string, buildId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'build', buildId],
    queryFn: async ({ signal }) => (await runyard.agents.getRevision(agentId, buildId, { signal })).build,
  })

/** What a build reads of the message that starts its runs; a draft changes, so it is asked each time. */
export const agentInputsQuery = (agentId: string, buildId: string | undefined) =>
  queryOptions({
    queryKey: ['agent', agentId, 'inputs', buildId],
    queryFn: async ({ signal }) =>
      (await runyard.agents.inputs(agentId, { ...(buildId && { build_id: buildId }) }, { signal })).inputs,
    staleTime: 0,
  })

export const buildScoresQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'buildScores'],
    queryFn: async ({ signal }) =>
      (await runyard.evaluations.buildScores(agentId, { limit: 100 }, { signal }).page()).build_scores,
  })

/** What a build changes compared with another; without `against`, with the live one. */
export const buildDiffQuery = (agentId: string, buildId: string, against: string | undefined) =>
  queryOptions({
    queryKey: ['agent', agentId, 'diff', buildId, against],
    queryFn: ({ signal }) =>
      runyard.agents.diffRevisions(agentId, buildId, { ...(against && { against }) }, { signal }),
  })

export const schedulesQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'schedules'],
    queryFn: async ({ signal }) => (await runyard.schedules.list(agentId, { signal })).schedules,
  })

export const memoryQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'memory'],
    queryFn: async ({ signal }) => (await runyard.memory.list(agentId, { signal })).files,
  })

export const memoryFileQuery = (agentId: string, path: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'memory', path],
    queryFn: ({ signal }) => runyard.memory.get(agentId, path, { signal }),
  })

/** The rubrics of a build; of the live one unless given. */
export const rubricsQuery = (agentId: string, buildId?: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'rubrics', buildId],
    queryFn: ({ signal }) =>
      runyard.evaluations.listRubrics(agentId, { ...(buildId && { build_id: buildId }) }, { signal }),
  })

/** How long until the evaluations of new runs may have opened a gate. */
const gateAgainMs = 10_000

/** What promoting a build would change, and whether the service would refuse it. */
export const promotionPreviewQuery = (agentId: string, buildId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'promotion', buildId],
    queryFn: async ({ signal }) => (await runyard.agents.previewPromotion(agentId, buildId, { signal })).preview,
    refetchInterval: ({ state }) => (state.data?.gate?.is_open === false ? gateAgainMs : false),
  })

export const gateQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'gate'],
    queryFn: ({ signal }) => runyard.evaluations.getPromotionGate(agentId, { signal }),
  })

export const caseTriggersQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId, 'caseTriggers'],
    queryFn: async ({ signal }) => (await runyard.caseTriggers.list(agentId, { signal })).case_triggers,
  })

/** The tool sets that a config can name. */
export const pluginsQuery = queryOptions({
  queryKey: ['plugins'],
  queryFn: async ({ signal }) => (await runyard.plugins.list({ signal })).plugins,
  staleTime: Infinity,
})
