// Artifacts: their gallery, and everything about one of them. No event tells of them, so what is at work is asked for again.
import type { Artifact } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

const workAgainMs = 1200
const restAgainMs = 20_000

export const isWorking = ({ status }: Pick<Artifact, 'status'>): boolean => status === 'pending' || status === 'running'

interface ListInput {
  scope: 'created' | 'shared' | 'team'
  search?: string | undefined
  limit: number
  offset: number
}

export const artifactsQuery = ({ search, ...input }: ListInput) =>
  queryOptions({
    queryKey: ['artifacts', { search, ...input }],
    queryFn: ({ signal }) =>
      runyard.artifacts.list({ ...input, ...(search !== undefined && { search }) }, { signal }).page(),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.artifacts.some(isWorking) ? 3000 : restAgainMs),
  })

export const artifactQuery = (artifactId: string) =>
  queryOptions({
    queryKey: ['artifact', artifactId],
    queryFn: ({ signal }) => runyard.artifacts.get(artifactId, { signal }),
    refetchInterval: ({ state }) => (state.data && isWorking(state.data.artifact) ? workAgainMs : restAgainMs),
  })

/** What belongs to one state of an artifact: asked again when its work ends or it gets another page. */
const stateOf = ({ status, current_revision_id, updated_at }: Artifact): string =>
  `${status} ${current_revision_id} ${updated_at}`

export const artifactMessagesQuery = (artifact: Artifact) =>
  queryOptions({
    queryKey: ['artifactMessages', artifact.id, stateOf(artifact)],
    queryFn: ({ signal }) => runyard.artifacts.listMessages(artifact.id, { limit: 200 }, { signal }),
    placeholderData: keepPreviousData,
  })

/** Pictures come later than their pages. */
export const artifactRevisionsQuery = (artifact: Artifact) =>
  queryOptions({
    queryKey: ['artifactRevisions', artifact.id, artifact.current_revision_id, artifact.thumbnail_url],
    queryFn: ({ signal }) => runyard.artifacts.listRevisions(artifact.id, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: restAgainMs,
  })

export const artifactSourceQuery = (artifact: Artifact) =>
  queryOptions({
    queryKey: ['artifactSource', artifact.id, stateOf(artifact)],
    queryFn: async ({ signal }) => (await runyard.artifacts.source(artifact.id, { signal })).source,
    placeholderData: keepPreviousData,
  })

export const artifactConnectionsQuery = (artifactId: string) =>
  queryOptions({
    queryKey: ['artifactConnections', artifactId],
    queryFn: async ({ signal }) => (await runyard.artifacts.listConnections(artifactId, { signal })).connections,
  })
