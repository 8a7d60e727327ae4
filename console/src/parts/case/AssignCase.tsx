// Gives a case to a member, who holds it from then on. An admin can give away what another member holds.
import type { Case } from '@runyard/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Choices } from '../Choices.tsx'
import { Dialog } from '../Dialog.tsx'
import { Shown } from '../states.tsx'
import { toast, toastError } from '../toasts.tsx'
import { visible } from '../visibleText.ts'
import { membersQuery } from '../../queries/team.ts'
import { Holder } from './CaseFacts.tsx'
import { useCaseRefresh } from './useMoving.tsx'

export default function AssignCase({ item, onClose }: { item: Case; onClose: () => void }) {
  const { profile } = useSession()
  const members = useQuery(membersQuery)
  const refresh = useCaseRefresh()
  const holder = item.claimed_by_user_id
  const assign = useMutation({
    mutationFn: (member: { id: string; name: string }) =>
      holder === null || holder === profile.id
        ? runyard.cases.assign(item.id, { assignee_user_id: member.id })
        : runyard.cases.takeOver(item.id, { held_by_user_id: holder, assignee_user_id: member.id }),
    onSuccess(_, { id, name }) {
      toast(`Assigned to ${id === profile.id ? 'you' : visible(name)}`)
      onClose()
    },
    onError: (error) => toastError('The case was not assigned', error),
    onSettled: () => refresh(item),
  })
  return (
    <Dialog isOpen onClose={onClose} width="narrow" title={`Assign “${visible(item.title.slice(0, 60))}”`}>
      {holder !== null && holder !== profile.id && (
        <p>
          <Holder item={item} /> holds it now; the timeline says from whom it was taken.
        </p>
      )}
      <Shown query={members} what="members" rows={4}>
        {({ members: all }) => (
          <Choices
            what="members"
            choices={all
              .toSorted((one, other) => Number(other.id === profile.id) - Number(one.id === profile.id))
              .map(({ id, name, role }) => ({
                value: id,
                label: id === profile.id ? 'You' : visible(name),
                detail: role,
              }))}
            chosen={holder === null ? [] : [holder]}
            onChoose={(chosen) => {
              const member = all.find(({ id }) => id === chosen)
              if (member && !assign.isPending) assign.mutate(member)
            }}
          />
        )}
      </Shown>
    </Dialog>
  )
}
