// Gives a request to a member, or to nobody. Others can still answer it.
import type { InboxRequest } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Choices, type Choice } from '../../parts/Choices.tsx'
import { Popover } from '../../parts/Popover.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { membersQuery } from '../../queries/team.ts'
import style from './Preview.module.css'

const nobody = 'nobody'

interface Props {
  request: InboxRequest
  onAssigned: (request: InboxRequest) => void
}

export function AssignMenu({ request, onAssigned }: Props) {
  const queries = useQueryClient()
  const { profile, unable } = useSession()
  const [isOpen, setOpen] = useState(false)
  const members = useQuery({ ...membersQuery, enabled: isOpen || request.assignee_user_id !== null })
  const whyNot = unable('runs:write')
  useKeys([{ keys: 'a', says: 'Assign', where: 'Inbox', run: () => whyNot === undefined && setOpen(true) }])

  const assigning = useMutation({
    mutationFn: (memberId: string | null) =>
      runyard.humanRequests.assign(request.run_id, request.id, { assignee_user_id: memberId }),
    onSuccess({ human_request }) {
      onAssigned({ ...request, ...human_request })
      void queries.invalidateQueries({ queryKey: ['requests'] })
      const { assignee_user_id: assignee } = human_request
      toast(assignee === null ? 'Assigned to nobody' : `Assigned to ${nameOf(assignee)}`)
    },
    onError: (error) => toastError('It could not be assigned', error),
  })

  function nameOf(memberId: string): string {
    if (memberId === profile.id) return 'you'
    return visible(members.data?.members.find(({ id }) => id === memberId)?.name ?? 'a member')
  }

  const { assignee_user_id: assignee } = request
  const label = assignee === null ? 'Assign' : nameOf(assignee)
  const button = (
    <Button kind="quiet" icon="user" keys={['A']} unable={whyNot} isBusy={assigning.isPending} aria-keyshortcuts="a">
      <span className={style.assignee}>{label === 'you' ? 'You' : label}</span>
    </Button>
  )
  if (whyNot !== undefined) return button
  return (
    <Popover isOpen={isOpen} onOpenChange={setOpen} label="Assign to" trigger={button}>
      {members.data ? (
        <Choices
          what="members"
          choices={choicesOf(members.data.members, profile.id)}
          chosen={[assignee ?? nobody]}
          onChoose={(value) => {
            setOpen(false)
            assigning.mutate(value === nobody ? null : value)
          }}
        />
      ) : members.error ? (
        <Failed error={members.error} />
      ) : (
        <Skeleton rows={3} what="members" />
      )}
    </Popover>
  )
}

/** Oneself first, then nobody, then the others by name. */
function choicesOf(members: { id: string; name: string; role: string }[], me: string): Choice[] {
  const others = members.filter(({ id }) => id !== me).sort((one, other) => one.name.localeCompare(other.name))
  return [
    { value: me, label: 'You' },
    { value: nobody, label: 'Nobody' },
    ...others.map(({ id, name, role }) => ({ value: id, label: visible(name), detail: role })),
  ]
}
