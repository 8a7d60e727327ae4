// Asks before something that runs are given is removed, and names the agents that use it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { counted } from '../../../parts/amounts.ts'
import { Confirm } from '../../../parts/Dialog.tsx'
import { Shown } from '../../../parts/states.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { deleteGiven, givenDependentsQuery, type GivenKind } from '../../../queries/given.ts'

interface RemoveGivenProps {
  kind: GivenKind
  noun: string
  one: { id: string; name: string }
  onClose: () => void
}

const namedMax = 8

export function RemoveGiven({ kind, noun, one: { id, name }, onClose }: RemoveGivenProps) {
  const queries = useQueryClient()
  const dependents = useQuery(givenDependentsQuery(kind, id))
  const remove = useMutation({
    mutationFn: () => deleteGiven(kind, id),
    onSuccess: async () => {
      toast(`${name} is removed`)
      onClose()
      await queries.invalidateQueries({ queryKey: ['given', kind] })
    },
    onError: (error) => toastError(`The ${noun} was not removed`, error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Remove the ${noun} ${visible(name)}?`}
      verb="Remove"
      isBusy={remove.isPending || dependents.isPending}
      onConfirm={() => remove.mutate()}
    >
      <Shown query={dependents} what="who uses it" rows={2}>
        {({ agents, agents_total }) =>
          agents_total === 0 ? (
            <p>No live build names it. This cannot be undone.</p>
          ) : (
            <p>
              {counted(agents_total, 'agent')} would miss it:{' '}
              <b>
                {agents
                  .slice(0, namedMax)
                  .map((agent) => visible(agent.name))
                  .join(', ')}
                {agents_total > namedMax ? ' and others' : ''}
              </b>
              . This cannot be undone.
            </p>
          )
        }
      </Shown>
    </Confirm>
  )
}
