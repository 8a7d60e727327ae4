// Stops a run, after a dialog that says what that ends.
import type { GetRunAnswer } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../../app/client.ts'
import { Confirm } from '../../../parts/Dialog.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'

interface StopRunProps {
  run: GetRunAnswer['run']
  isOpen: boolean
  onClose: () => void
}

export function StopRun({ run, isOpen, onClose }: StopRunProps) {
  const queries = useQueryClient()
  const stop = useMutation({
    mutationFn: () => runyard.runs.stop(run.id),
    onSuccess: ({ message }) => {
      toast(message ?? `Run ${run.run_number} is stopped`)
      onClose()
      return queries.invalidateQueries({ queryKey: ['run', run.id] })
    },
    onError: (error) => toastError('The run could not be stopped', error),
  })
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={`Stop run ${run.run_number}?`}
      verb="Stop the run"
      isBusy={stop.isPending}
      onConfirm={() => stop.mutate()}
    >
      <p>
        The step that is under way ends within a second. Open requests to people are cancelled, and runs that it started
        are stopped too. What it has done stays done.
      </p>
    </Confirm>
  )
}
