// Asks before a connection is removed, and names what breaks.
import type { Connection, ListConnectionDependentsAnswer } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { runyard } from '../../app/client.ts'
import { count, counted } from '../../parts/amounts.ts'
import { Confirm } from '../../parts/Dialog.tsx'
import { Shown } from '../../parts/states.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { dependentsQuery } from '../../queries/connections.ts'
import style from './RemoveConnection.module.css'

export function RemoveConnection({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const dependents = useQuery(dependentsQuery(connection.id))
  const remove = useMutation({
    mutationFn: () => runyard.connections.delete(connection.id),
    onSuccess: async () => {
      toast(`${connection.name} is removed`)
      await navigate({ to: '/connections' })
      queries.removeQueries({ queryKey: ['connection', connection.id] })
      await queries.invalidateQueries({ queryKey: ['connections'] })
    },
    onError: (error) => toastError('The connection was not removed', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Remove the connection ${connection.name}?`}
      verb="Remove"
      isBusy={remove.isPending || dependents.isPending}
      onConfirm={() => remove.mutate()}
    >
      <div className={style.breaks}>
        <Shown query={dependents} what="what breaks" rows={2}>
          {(found) => {
            const broken = brokenBy(found)
            if (broken.length === 0)
              return <p>No live build names it, no artifact reads from it, and no run waits for it.</p>
            return (
              <>
                <p>This breaks:</p>
                <ul>
                  {broken.map(({ says, names, total }) => (
                    <li key={says}>
                      {says}: <b>{names.map(visible).join(', ')}</b>
                      {total > names.length && ` and ${count(total - names.length)} more`}
                    </li>
                  ))}
                </ul>
              </>
            )
          }}
        </Shown>
        <p>
          Its credential is erased at once, and given back to the provider where that is possible. This cannot be
          undone.
        </p>
      </div>
    </Confirm>
  )
}

/** Everything that the service names, up to a hundred of each; the totals count all. */
function brokenBy(found: ListConnectionDependentsAnswer): { says: string; names: string[]; total: number }[] {
  const agentOf = (id: string) => found.agents.find((agent) => agent.id === id)?.name ?? 'an agent'
  return [
    {
      says: counted(found.agents_total, 'agent'),
      names: found.agents.map(({ name }) => name),
      total: found.agents_total,
    },
    {
      says: counted(found.schedules_total, 'schedule'),
      names: found.schedules.map(({ agent_id, frequency }) => `${agentOf(agent_id)} (${frequency})`),
      total: found.schedules_total,
    },
    {
      says: `${counted(found.waiting_runs_total, 'waiting run')}, whose call fails now`,
      names: found.waiting_runs.map(({ title }) => title),
      total: found.waiting_runs_total,
    },
    {
      says: counted(found.triggers_total, 'trigger'),
      names: found.triggers.map(({ name, tool }) => name ?? `Poll ${tool}`),
      total: found.triggers_total,
    },
    {
      says: counted(found.artifacts_total, 'artifact'),
      names: found.artifacts.map(({ title }) => title ?? 'Untitled'),
      total: found.artifacts_total,
    },
  ].filter(({ total }) => total > 0)
}
