// Asks before a queue is deleted with everything in it.
import type { Queue } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { counted } from '../../parts/amounts.ts'
import { Confirm } from '../../parts/Dialog.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'

interface DeleteQueueProps {
  queue: Queue
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteQueue({ queue, onClose, onDeleted }: DeleteQueueProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => runyard.queues.delete(queue.id),
    onSuccess() {
      toast(`Deleted the queue ${visible(queue.name)}`)
      onClose()
      onDeleted?.()
      void queries.invalidateQueries({ queryKey: ['queues'] })
    },
    onError: (error) => toastError('The queue was not deleted', error),
  })
  const cases = Object.values(queue.counts).reduce((sum, one) => sum + one, 0)
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the queue ${visible(queue.name)}?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {counted(cases, 'case')} with their timelines are gone for good, and so are its labels and case triggers. Runs
        that work on its cases are stopped; they stay readable.
      </p>
    </Confirm>
  )
}
