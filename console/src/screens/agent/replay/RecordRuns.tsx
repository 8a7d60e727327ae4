// Records the last runs of an agent in a replay set: a new one, or one that is there.
import type { ReplaySet } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { counted } from '../../../parts/amounts.ts'
import { Field, Input } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { replaySetsQuery } from '../../../queries/replays.ts'

interface RecordRunsProps {
  agentId: string
  sets: ReplaySet[]
  onClose: () => void
}

export function RecordRuns({ agentId, sets, onClose }: RecordRunsProps) {
  const queries = useQueryClient()
  const [name, setName] = useState(sets[0]?.name ?? 'Recorded')
  const [last, setLast] = useState('50')
  const record = useMutation({
    async mutationFn() {
      const known = sets.find((set) => set.name === name.trim())
      const id = known?.id ?? (await runyard.replays.createSet(agentId, { name: name.trim() })).replay_set_id
      return runyard.replays.addRecordings(id, { last: Number(last) })
    },
    onSuccess({ added, skipped }) {
      const left = skipped.length > 0 ? `, ${skipped.length} could not be recorded: ${skipped[0]?.reason}` : ''
      toast(`${counted(added, 'run')} recorded${left}`)
      onClose()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: replaySetsQuery(agentId).queryKey }),
  })
  const isRight = name.trim() !== '' && Number.isInteger(Number(last)) && Number(last) >= 1 && Number(last) <= 500
  return (
    <FormDialog
      title="Record runs"
      onClose={onClose}
      verb="Record"
      width="narrow"
      isBusy={record.isPending}
      error={record.error}
      unable={isRight ? undefined : 'Give the set a name, and a number of runs from 1 to 500.'}
      onSend={() => record.mutate()}
    >
      <p>
        What a replay needs of each run is copied. It stays when the log of the run is erased, and goes with the run.
      </p>
      <Field label="Replay set" hint="a new name makes a new set">
        <Input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="The last runs" hint="completed or failed">
        <Input type="number" min={1} max={500} value={last} onChange={(event) => setLast(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
