// The priority of a case: cases with a higher one go out first.
import type { Case } from '@runyard/sdk'
import { useMutation } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { Choices } from '../Choices.tsx'
import { Dialog } from '../Dialog.tsx'
import { toast, toastError } from '../toasts.tsx'
import { visible } from '../visibleText.ts'
import { useCaseRefresh } from './useMoving.tsx'
import { priorities, priorityWords, type CasePriority } from './words.ts'

export default function PriorityCase({ item, onClose }: { item: Case; onClose: () => void }) {
  const refresh = useCaseRefresh()
  const change = useMutation({
    mutationFn: (priority: CasePriority) => runyard.cases.update(item.id, { priority }),
    onSuccess(_, priority) {
      onClose()
      if (priority !== item.priority)
        toast(`Its priority is ${priorityWords[priority]} now`, () => change.mutate(item.priority))
    },
    onError: (error) => toastError('The priority is as it was', error),
    onSettled: () => refresh(item),
  })
  return (
    <Dialog isOpen onClose={onClose} width="narrow" title={`Priority of “${visible(item.title.slice(0, 60))}”`}>
      <Choices
        what="priorities"
        choices={priorities.map((value) => ({ value, label: priorityWords[value] }))}
        chosen={[item.priority]}
        onChoose={(value) => {
          const priority = priorities.find((one) => one === value)
          if (priority && !change.isPending) change.mutate(priority)
        }}
      />
    </Dialog>
  )
}
