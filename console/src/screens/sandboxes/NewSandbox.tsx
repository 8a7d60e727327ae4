// Makes a sandbox and opens it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Select } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'

const lives = [
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
]

export function NewSandbox({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [seconds, setSeconds] = useState('86400')
  const make = useMutation({
    mutationFn: () => runyard.sandboxes.create({ ttl_seconds: Number(seconds) }),
    onSuccess({ sandbox_id }) {
      void queries.invalidateQueries({ queryKey: ['sandboxes'] })
      void navigate({ to: '/sandboxes/$sandboxId', params: { sandboxId: sandbox_id } })
    },
  })
  return (
    <FormDialog
      title="New sandbox"
      onClose={onClose}
      verb="Make it"
      isBusy={make.isPending}
      error={make.error}
      onSend={() => make.mutate()}
      width="narrow"
    >
      <Field
        label="Ends after"
        hint="It is deleted then, with its files. If a run has it, it stays as long as the run does."
      >
        <Select options={lives} value={seconds} onChange={(event) => setSeconds(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
