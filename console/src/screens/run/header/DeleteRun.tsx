// Deletes a run that has ended, after a dialog that names it.
import type { GetRunAnswer } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { runyard } from '../../../app/client.ts'
import { Confirm } from '../../../parts/Dialog.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'

interface DeleteRunProps {
  run: GetRunAnswer['run']
  isOpen: boolean
  onClose: () => void
}

export function DeleteRun({ run, isOpen, onClose }: DeleteRunProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => runyard.runs.delete(run.id),
    onSuccess: async () => {
      toast(`Run ${run.run_number} is deleted`)
      await navigate({ to: '/runs' })
      queries.removeQueries({ queryKey: ['run', run.id] })
      await queries.invalidateQueries({ queryKey: ['runs'] })
    },
    onError: (error) => toastError('The run could not be deleted', error),
  })
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete run ${run.run_number}?`}
      verb="Delete the run"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>Its messages, steps, requests, events, pictures and files are erased. This cannot be undone.</p>
      <p>
        <b>{run.title.slice(0, 200)}</b>
      </p>
    </Confirm>
  )
}
