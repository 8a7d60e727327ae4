// Changes the title and the data of a case, in any state.
import type { Case } from '@runyard/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useCaseRefresh } from '../../parts/case/useMoving.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Field, Input, TextArea } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'

export function EditCase({ item, onClose }: { item: Case; onClose: () => void }) {
  const refresh = useCaseRefresh()
  const [title, setTitle] = useState(item.title)
  const [data, setData] = useState(item.data)
  // what nobody touched is not sent: somebody else may have changed it since then
  const changes = {
    ...(title.trim() !== item.title && { title: title.trim() }),
    ...(data !== item.data && { data }),
  }
  const save = useMutation({
    mutationFn: () => runyard.cases.update(item.id, changes),
    onSuccess() {
      toast('The case is changed')
      refresh(item)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Change the case"
      verb="Save"
      isBusy={save.isPending}
      error={save.error}
      unable={
        title.trim() === ''
          ? 'Give it a title first.'
          : Object.keys(changes).length === 0
            ? 'Nothing is changed yet.'
            : undefined
      }
      onClose={onClose}
      onSend={() => save.mutate()}
      aside={<CopyAs isSmall operation="updateCase" params={{ case_id: item.id }} input={changes} />}
    >
      <Field label="Title" isRequired>
        <Input maxLength={500} value={title} onChange={(event) => setTitle(event.target.value)} />
      </Field>
      <Field label="Data" hint="Text, or JSON. A run that works on the case has read it already.">
        <TextArea rows={12} maxLength={262_144} value={data} onChange={(event) => setData(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
