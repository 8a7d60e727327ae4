// Gives an agent a case trigger on the queue.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { AgentChoices } from '../../../parts/AgentChoices.tsx'
import { Field, Input } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'

export function AddWorker({ queueId, onClose }: { queueId: string; onClose: () => void }) {
  const queries = useQueryClient()
  const [agentId, setAgentId] = useState<string>()
  const [atOnce, setAtOnce] = useState('')
  const add = useMutation({
    mutationFn: () =>
      runyard.caseTriggers.create(agentId ?? '', {
        case_queue_id: queueId,
        enabled: true,
        ...(atOnce !== '' && { concurrency: Number(atOnce) }),
      }),
    onSuccess() {
      toast('It is given cases from now on')
      for (const queryKey of [
        ['queueWork', queueId],
        ['agent', agentId],
        ['cases', queueId],
      ])
        void queries.invalidateQueries({ queryKey })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Let an agent work this queue"
      verb="Give it the cases"
      width="narrow"
      isBusy={add.isPending}
      error={add.error}
      unable={agentId === undefined ? 'Choose an agent first.' : undefined}
      onClose={onClose}
      onSend={() => add.mutate()}
    >
      <AgentChoices chosen={agentId} onChoose={setAgentId} />
      <Field label="At once" hint="Empty: as many as the queue allows. Each case starts a run of the live build.">
        <Input type="number" min={1} max={10_000} value={atOnce} onChange={(event) => setAtOnce(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
