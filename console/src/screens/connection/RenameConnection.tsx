// Gives a connection another name. Agents use it by its id, procedures by its name.
import type { Connection } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Input } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'

export function RenameConnection({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(connection.name)
  const save = useMutation({
    mutationFn: () => runyard.connections.update(connection.id, { name: name.trim() }),
    onSuccess: async () => {
      toast('The connection has another name')
      await Promise.all(
        [['connection', connection.id], ['connections']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Rename ${connection.name}`}
      verb="Rename"
      unable={name.trim() === '' ? 'A connection needs a name.' : undefined}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <Field label="Name" hint="Steps of procedures that name it must be changed too." isRequired>
        <Input value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
