// The title of an artifact, and how often it is refreshed.
import type { Artifact } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Input, Select } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { frequencies, titleOf } from '../artifacts/artifactWords.ts'

type Frequency = keyof typeof frequencies

export function EditArtifact({ artifact, onClose }: { artifact: Artifact; onClose: () => void }) {
  const queries = useQueryClient()
  const [title, setTitle] = useState(titleOf(artifact))
  const [frequency, setFrequency] = useState<string>(artifact.refresh_frequency ?? '')
  const save = useMutation({
    mutationFn: () =>
      runyard.artifacts.update(artifact.id, {
        title: title.trim(),
        refresh_frequency: frequency === '' ? null : (frequency as Frequency),
      }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['artifact', artifact.id] })
      void queries.invalidateQueries({ queryKey: ['artifacts'] })
      toast('Saved')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Title and refreshes"
      onClose={onClose}
      verb="Save"
      unable={title.trim() === '' ? 'Give it a title first.' : undefined}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
    >
      <Field label="Title" isRequired>
        <Input value={title} maxLength={120} onChange={(event) => setTitle(event.target.value)} />
      </Field>
      <Field
        label="Refreshed"
        hint="A refresh runs the steps again, without a model. If it fails, the last good page stays."
      >
        <Select
          value={frequency}
          onChange={(event) => setFrequency((event.target as unknown as HTMLSelectElement).value)}
          options={[
            { value: '', label: 'when somebody asks' },
            ...Object.entries(frequencies).map(([value, label]) => ({ value, label })),
          ]}
        />
      </Field>
    </FormDialog>
  )
}
