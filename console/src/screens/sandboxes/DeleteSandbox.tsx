// Deletes a sandbox with its files, after a question that names it.
import type { Sandbox } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { bytes, counted } from '../../parts/amounts.ts'
import { Confirm } from '../../parts/Dialog.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'

interface DeleteSandboxProps {
  sandbox: Sandbox
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteSandbox({ sandbox, onClose, onDeleted }: DeleteSandboxProps) {
  const queries = useQueryClient()
  const { sandbox_id: id, files_total, kept_bytes, run_id } = sandbox
  const remove = useMutation({
    mutationFn: () => runyard.sandboxes.delete(id),
    onSuccess() {
      toast('The sandbox was deleted')
      void queries.invalidateQueries({ queryKey: ['sandboxes'] })
      void queries.invalidateQueries({ queryKey: ['sandboxUsage'] })
      onClose()
      onDeleted?.()
    },
    onError: (error) => toastError('The sandbox was not deleted', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the sandbox ${id}?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      It holds {counted(files_total, 'file')}, {bytes(kept_bytes)}. They cannot be brought back
      {run_id === null ? '.' : ', and the run that has it loses them too.'}
    </Confirm>
  )
}
