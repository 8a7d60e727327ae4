// Asks why an agent is paused, and says what that means.
import type { Agent } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Input } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { agentQuery } from '../../queries/agents.ts'

export function PauseAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const pause = useMutation({
    mutationFn: () => runyard.agents.pause(agent.id, reason.trim() === '' ? {} : { reason: reason.trim() }),
    onSuccess: ({ agent: paused }) => {
      queries.setQueryData(agentQuery(agent.id).queryKey, paused)
      void queries.invalidateQueries({ queryKey: ['agents'] })
      toast('The agent is paused')
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Pause ${visible(agent.name)}?`}
      verb="Pause"
      isBusy={pause.isPending}
      error={pause.error}
      onSend={() => pause.mutate()}
      onClose={onClose}
    >
      <p>
        No run of its live build starts until somebody resumes it: callers are refused, schedules skip their due times,
        and what comes in for triggers and queues waits. Runs under way continue, and drafts can be run.
      </p>
      <Field label="Reason" hint="Whoever is refused reads it.">
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
