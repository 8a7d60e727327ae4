// The replay sets of an agent: how much each holds, and its deletion.
import type { ReplaySet } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { bytes, counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Confirm } from '../../../parts/Dialog.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import tab from '../tab.module.css'
import style from './ReplayTab.module.css'

export function ReplaySets({ agentId, sets }: { agentId: string; sets: ReplaySet[] }) {
  const { unable } = useSession()
  const [leaving, setLeaving] = useState<ReplaySet>()
  if (sets.length === 0) return null
  return (
    <Card title="Replay sets">
      <ul className={style.sets}>
        {sets.map((set) => (
          <li key={set.id} className={tab.line}>
            <span className={style.name}>{set.name}</span>
            <span className="dim">
              {counted(set.recordings, 'run')}, {bytes(set.size_bytes)}
            </span>
            <span className={tab.gap} />
            <Button
              kind="quiet"
              icon="trash"
              aria-label={`Delete the set ${set.name}`}
              unable={unable('evals:write')}
              onClick={() => setLeaving(set)}
            />
          </li>
        ))}
      </ul>
      {leaving && <DeleteSet agentId={agentId} set={leaving} onClose={() => setLeaving(undefined)} />}
    </Card>
  )
}

function DeleteSet({ agentId, set, onClose }: { agentId: string; set: ReplaySet; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => runyard.replays.deleteSet(set.id),
    onSuccess() {
      toast('The replay set was deleted')
      void queries.invalidateQueries({ queryKey: ['agent', agentId] })
      onClose()
    },
    onError: (error) => toastError('The replay set was not deleted', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the replay set ${set.name}?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      Its {counted(set.recordings, 'recorded run')} and all replays against it go with it. The runs themselves stay.
    </Confirm>
  )
}
