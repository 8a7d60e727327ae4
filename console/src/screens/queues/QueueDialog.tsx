// Makes a queue, or changes one.
import type { Queue } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Field, Input, TextArea } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'

interface QueueDialogProps {
  /** Undefined: a new one. */
  queue: Pick<Queue, 'id' | 'name' | 'description' | 'concurrency'> | undefined
  onClose: () => void
}

export function QueueDialog({ queue, onClose }: QueueDialogProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState(queue?.name ?? '')
  const [about, setAbout] = useState(queue?.description ?? '')
  const [atOnce, setAtOnce] = useState(queue?.concurrency?.toString() ?? '')
  const wanted = {
    name: name.trim(),
    description: about.trim() === '' ? null : about.trim(),
    concurrency: atOnce === '' ? null : Number(atOnce),
  }
  const save = useMutation({
    mutationFn: () => (queue ? runyard.queues.update(queue.id, wanted) : runyard.queues.create(wanted)),
    onSuccess({ queue: saved }) {
      for (const queryKey of [['queues'], ['queue', saved.id], ['queueWork', saved.id]])
        void queries.invalidateQueries({ queryKey })
      onClose()
      toast(queue ? `Changed the queue ${visible(saved.name)}` : `Made the queue ${visible(saved.name)}`)
      if (!queue) void navigate({ to: '/queues/$queueId', params: { queueId: saved.id } })
    },
  })
  const isWhole = wanted.concurrency === null || (Number.isInteger(wanted.concurrency) && wanted.concurrency >= 1)
  return (
    <FormDialog
      title={queue ? `Change the queue ${visible(queue.name)}` : 'New queue'}
      verb={queue ? 'Save' : 'Make the queue'}
      width="narrow"
      isBusy={save.isPending}
      error={save.error}
      unable={
        wanted.name === '' ? 'Give it a name first.' : isWhole ? undefined : 'At once must be a whole number from 1 on.'
      }
      onClose={onClose}
      onSend={() => save.mutate()}
      aside={
        queue ? (
          <CopyAs isSmall operation="updateQueue" params={{ queue_id: queue.id }} input={wanted} />
        ) : (
          <CopyAs isSmall operation="createQueue" input={wanted} />
        )
      }
    >
      <Field label="Name" isRequired>
        <Input maxLength={100} placeholder="Refunds" value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Description">
        <TextArea rows={2} maxLength={500} value={about} onChange={(event) => setAbout(event.target.value)} />
      </Field>
      <Field
        label="Cases in progress at once"
        hint="Empty: as many as the team has slots. A lower number stops no run; it counts for the next cases."
      >
        <Input type="number" min={1} max={10_000} value={atOnce} onChange={(event) => setAtOnce(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
