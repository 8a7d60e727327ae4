// The name of an agent, and what it is for.
import type { Agent } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Input, TextArea } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'

import { brief } from '../agents/brief.ts'

export function RenameAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(agent.name)
  const [description, setDescription] = useState(agent.description ?? '')
  const save = useMutation({
    mutationFn: () =>
      runyard.agents.update(agent.id, {
        name: name.trim(),
        description: description.trim() === '' ? null : description,
      }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['agent', agent.id] })
      void queries.invalidateQueries({ queryKey: ['agents'] })
      toast(`Saved as “${brief(name.trim())}”`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Name and description"
      onClose={onClose}
      verb="Save"
      unable={name.trim() === '' ? 'Give it a name first.' : undefined}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
    >
      <Field label="Name" isRequired>
        <Input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Description" hint="What it does, in a sentence.">
        <TextArea
          value={description}
          maxLength={2000}
          rows={3}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}
