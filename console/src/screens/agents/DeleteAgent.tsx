// Asks before an agent is deleted, and says what goes with it.
import type { Agent } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { Confirm } from '../../parts/Dialog.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { brief } from './brief.ts'

interface DeleteAgentProps {
  agent: Pick<Agent, 'id' | 'name' | 'runs_count'>
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteAgent({ agent, onClose, onDeleted }: DeleteAgentProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => runyard.agents.delete(agent.id),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['agents'] })
      toast(`Deleted “${brief(agent.name)}”`)
      onClose()
      onDeleted?.()
    },
    onError: (error) => toastError(`“${brief(agent.name)}” was not deleted`, error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the agent “${brief(agent.name)}”?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Runs that are under way are stopped. Its builds, schedules, triggers and memory are gone, and this cannot be
        undone. Runs that have ended stay readable.
      </p>
    </Confirm>
  )
}
