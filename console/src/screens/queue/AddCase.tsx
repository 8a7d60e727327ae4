// Adds one case to a queue.
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useCaseRefresh } from '../../parts/case/useMoving.tsx'
import { priorities, priorityWords, type CasePriority } from '../../parts/case/words.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Field, Input, Select, TextArea } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'

export function AddCase({ queueId, onClose }: { queueId: string; onClose: () => void }) {
  const navigate = useNavigate()
  const refresh = useCaseRefresh()
  const [title, setTitle] = useState('')
  const [data, setData] = useState('')
  const [priority, setPriority] = useState<CasePriority>('none')
  const [externalId, setExternalId] = useState('')
  const wanted = {
    title: title.trim(),
    ...(data !== '' && { data }),
    ...(priority !== 'none' && { priority }),
    ...(externalId.trim() !== '' && { external_id: externalId.trim() }),
  }
  const add = useMutation({
    mutationFn: () => runyard.cases.create(queueId, { case: wanted }),
    onSuccess({ added_cases: [added] }) {
      onClose()
      if (!added) return
      refresh(added)
      toast(added.existing ? 'The queue has a case with this external id already' : 'The case is in the queue')
      if (added.existing) void navigate({ to: '/cases/$caseId', params: { caseId: added.id } })
    },
  })
  return (
    <FormDialog
      title="Add a case"
      verb="Add case"
      isBusy={add.isPending}
      error={add.error}
      unable={wanted.title === '' ? 'Give it a title first.' : undefined}
      onClose={onClose}
      onSend={() => add.mutate()}
      aside={<CopyAs isSmall operation="createCases" params={{ queue_id: queueId }} input={{ case: wanted }} />}
    >
      <Field label="Title" isRequired>
        <Input
          maxLength={500}
          placeholder="Refund 4711"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
      <Field label="Data" hint="What the case is about, as text or JSON.">
        <TextArea
          rows={5}
          maxLength={262_144}
          placeholder={'{"amount": 30}'}
          value={data}
          onChange={(event) => setData(event.target.value)}
        />
      </Field>
      <Field label="Priority">
        <Select
          options={priorities.toReversed().map((value) => ({ value, label: priorityWords[value] }))}
          value={priority}
          onChange={(event) => setPriority(priorities.find((one) => one === event.target.value) ?? 'none')}
        />
      </Field>
      <Field label="External id" hint="Your own id for it, unique in the queue: adding it again changes nothing.">
        <Input maxLength={255} value={externalId} onChange={(event) => setExternalId(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
