// Asks before a case is deleted.
import type { Case } from '@runyard/sdk'
import { useMutation } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { Confirm } from '../Dialog.tsx'
import { toast, toastError } from '../toasts.tsx'
import { visible } from '../visibleText.ts'
import { useCaseRefresh } from './useMoving.tsx'

interface DeleteCaseProps {
  item: Case
  onClose: () => void
  onDeleted: (() => void) | undefined
}

export default function DeleteCase({ item, onClose, onDeleted }: DeleteCaseProps) {
  const refresh = useCaseRefresh()
  const remove = useMutation({
    mutationFn: () => runyard.cases.delete(item.id),
    onSuccess() {
      toast('The case is deleted')
      onClose()
      onDeleted?.()
      refresh(item)
    },
    onError: (error) => toastError('The case was not deleted', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the case “${visible(item.title.slice(0, 80))}”?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>Its data, labels and timeline are gone for good. A run that works on it is stopped; its runs stay readable.</p>
    </Confirm>
  )
}
