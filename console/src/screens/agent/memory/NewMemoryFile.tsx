// Puts a new file into the memory of an agent.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { Field, Input, TextArea } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { memoryQuery } from '../../../queries/agents.ts'

const route = getRouteApi('/frame/agents/$agentId')

export function NewMemoryFile({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  const [path, setPath] = useState('')
  const [content, setContent] = useState('')
  const make = useMutation({
    mutationFn: () => runyard.memory.put(agentId, path.trim(), { content, expected_generation: 0 }),
    onSuccess({ path: file }) {
      void queries.invalidateQueries({ queryKey: memoryQuery(agentId).queryKey })
      void navigate({ search: (now) => ({ ...now, file }), replace: true })
      onClose()
    },
  })
  return (
    <FormDialog
      title="New memory file"
      onClose={onClose}
      verb="Save"
      unable={path.trim() === '' ? 'Give it a path first.' : undefined}
      isBusy={make.isPending}
      error={make.error}
      onSend={() => make.mutate()}
    >
      <Field
        label="Path"
        hint='Such as notes/suppliers.md. A procedure reads it as memory["notes/suppliers.md"].'
        isRequired
      >
        <Input value={path} spellCheck={false} onChange={(event) => setPath(event.target.value)} />
      </Field>
      <Field label="Content">
        <TextArea rows={8} value={content} onChange={(event) => setContent(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
