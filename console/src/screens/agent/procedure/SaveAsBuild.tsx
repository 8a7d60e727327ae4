// Gives a draft a name: from then on it stays as it is, and what is typed next becomes another draft.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { Field, Input, TextArea } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { buildQuery, buildsQuery } from '../../../queries/agents.ts'
import { useDraft } from '../draft/DraftProvider.tsx'

export function SaveAsBuild({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const { copy } = useDraft()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const save = useMutation({
    async mutationFn() {
      const draft = await copy.saveNow()
      return runyard.agents.updateRevision(draft.id, {
        revision_name: name.trim(),
        revision_description: description.trim() === '' ? null : description,
        expected_updated_at: draft.updated_at,
      })
    },
    onSuccess({ build }) {
      queries.setQueryData(buildQuery(build.agent_id, build.id).queryKey, build)
      void queries.invalidateQueries({ queryKey: buildsQuery(build.agent_id).queryKey })
      copy.learn(build)
      toast(`Saved as build ${build.revision_number}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Save as build"
      onClose={onClose}
      verb="Save"
      unable={name.trim() === '' ? 'Give it a name first.' : undefined}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
    >
      <p>The build stays as it is from now on. It goes live when you promote it; what you type next is a new draft.</p>
      <Field label="Name" hint="What it changes, in a few words." isRequired>
        <Input value={name} maxLength={80} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Description">
        <TextArea
          value={description}
          maxLength={500}
          rows={3}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}
