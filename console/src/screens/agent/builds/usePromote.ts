// Makes a build the live one. Promoting an older build is a roll-back; either can be taken back with one press.
import type { Build } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../../app/client.ts'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { buildQuery } from '../../../queries/agents.ts'
import { useDraft } from '../draft/DraftProvider.tsx'

interface Promotion {
  build: Build
  /** The build that is live now, for the way back. */
  former: Build | undefined
  reason?: string
}

export function usePromote(agentId: string) {
  const queries = useQueryClient()
  const { copy } = useDraft()
  const back = useMutation({
    mutationFn: ({ build, reason }: { build: Build; reason: string }) =>
      runyard.agents.promoteRevision(build.id, { force_reason: reason }),
    onSuccess({ build }) {
      learn(build)
      toast(`Build ${build.revision_number} is live again`)
    },
    onError: (error) => toastError('It could not be taken back', error),
  })
  const learn = (build: Build) => {
    queries.setQueryData(buildQuery(agentId, build.id).queryKey, build)
    copy.learn(build)
    void queries.invalidateQueries({ queryKey: ['agent', agentId] })
    void queries.invalidateQueries({ queryKey: ['agents'] })
    void queries.invalidateQueries({ queryKey: ['agentFigures'] })
  }
  return useMutation({
    mutationFn: async ({ build, reason }: Promotion) => {
      // what was typed into this very draft belongs to it
      const saved = copy.now.base.id === build.id ? await copy.saveNow() : build
      return runyard.agents.promoteRevision(saved.id, { ...(reason && { force_reason: reason }) })
    },
    onSuccess({ build }, { former }) {
      learn(build)
      const undo =
        former && (() => back.mutate({ build: former, reason: `Takes back build ${build.revision_number}.` }))
      toast(`Build ${build.revision_number} is live`, undo)
    },
  })
}
