// Deletes a file, or a folder with all that is in it, after a question that names it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../../app/client.ts'
import { Confirm } from '../../../parts/Dialog.tsx'
import { shortPath } from '../../../parts/files/preview.ts'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'

interface DeleteFileProps {
  sandboxId: string
  path: string
  onClose: () => void
  onDeleted: () => void
}

export function DeleteFile({ sandboxId, path, onClose, onDeleted }: DeleteFileProps) {
  const queries = useQueryClient()
  const name = visible(shortPath(path))
  const remove = useMutation({
    mutationFn: () => runyard.sandboxes.deleteFile(sandboxId, { path }),
    onSuccess() {
      toast(`${name} was deleted`)
      onClose()
      onDeleted()
      for (const key of ['sandboxFiles', 'sandbox', 'sandboxUsage']) void queries.invalidateQueries({ queryKey: [key] })
      queries.removeQueries({ queryKey: ['sandboxFile', sandboxId] })
    },
    onError: (error) => toastError(`${name} was not deleted`, error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      A folder goes with all that is in it. What runs wrote in their earlier steps still counts as use.
    </Confirm>
  )
}
