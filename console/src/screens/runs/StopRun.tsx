// Asks before a run is stopped from the list: a stop cannot be taken back.
import type { Run } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { Confirm } from '../../parts/Dialog.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'

export default function StopRun({ run, onClose }: { run: Run; onClose: () => void }) {
  const queries = useQueryClient()
  const stop = useMutation({
    mutationFn: () => runyard.runs.stop(run.id),
    onSuccess: ({ message }) => toast(message ?? `Stopped run ${run.run_number}`),
    onError: (error) => toastError(`Run ${run.run_number} was not stopped`, error),
    async onSettled() {
      onClose()
      await queries.invalidateQueries({ queryKey: ['runs'] })
    },
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Stop run ${run.run_number}?`}
      verb="Stop run"
      isBusy={stop.isPending}
      onConfirm={() => stop.mutate()}
    >
      “{run.title}” of {run.agent_name} ends where it is, with the runs that it started. It cannot continue; it can be
      done again.
    </Confirm>
  )
}
