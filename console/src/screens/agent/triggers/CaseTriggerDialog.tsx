// Lets an agent work the cases of a queue, and says beforehand who does so already.
import type { CaseTrigger } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { Field, Input, Select } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { caseTriggersQuery } from '../../../queries/agents.ts'
import { Sharing } from './Sharing.tsx'
import style from './TriggersTab.module.css'

interface CaseTriggerDialogProps {
  agentId: string
  /** Undefined: a new one. */
  trigger: CaseTrigger | undefined
  onClose: () => void
}

export function CaseTriggerDialog({ agentId, trigger, onClose }: CaseTriggerDialogProps) {
  const queries = useQueryClient()
  const queues = useQuery({
    queryKey: ['queues', 'names'],
    queryFn: async ({ signal }) => (await runyard.queues.list({ limit: 250 }, { signal }).page()).queues,
  })
  const [queueId, setQueueId] = useState(trigger?.case_queue_id ?? '')
  const [concurrency, setConcurrency] = useState(trigger?.concurrency ? String(trigger.concurrency) : '')
  const conflicts = useQuery({
    queryKey: ['agent', agentId, 'conflicts', queueId],
    queryFn: ({ signal }) => runyard.caseTriggers.previewConflicts(agentId, { case_queue_id: queueId }, { signal }),
    enabled: queueId !== '',
  })
  const save = useMutation({
    mutationFn: async (): Promise<unknown> => {
      const input = { case_queue_id: queueId, concurrency: concurrency.trim() === '' ? null : Number(concurrency) }
      return trigger
        ? runyard.caseTriggers.update(agentId, trigger.id, input)
        : runyard.caseTriggers.create(agentId, { ...input, enabled: true })
    },
    onSuccess() {
      void queries.invalidateQueries({ queryKey: caseTriggersQuery(agentId).queryKey })
      toast(trigger ? 'The trigger is changed' : 'The agent works this queue now')
      onClose()
    },
  })
  return (
    <FormDialog
      title={trigger ? 'Change the trigger' : 'Work a queue'}
      onClose={onClose}
      verb={trigger ? 'Save' : 'Begin'}
      unable={queueId === '' ? 'Choose a queue first.' : undefined}
      isBusy={save.isPending}
      error={save.error ?? queues.error}
      onSend={() => save.mutate()}
    >
      <Field label="Queue" hint={queues.data?.length === 0 ? 'The team has no queue yet.' : undefined} isRequired>
        <Select
          options={[
            { value: '', label: 'Choose one' },
            ...(queues.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={queueId}
          onChange={(event) => setQueueId(event.target.value)}
        />
      </Field>
      {conflicts.data?.has_conflict && (
        <p className={style.shared} role="status">
          <StatusShape shape="human" size={14} />
          <Sharing agents={conflicts.data.conflicting_agents} />
        </p>
      )}
      <Field label="Cases at once" hint="Empty: as many as the queue allows.">
        <Input
          type="number"
          min={1}
          max={10_000}
          value={concurrency}
          onChange={(event) => setConcurrency(event.target.value)}
        />
      </Field>
      {!trigger && <p className="dim small">Cases that wait already start at once.</p>}
    </FormDialog>
  )
}
