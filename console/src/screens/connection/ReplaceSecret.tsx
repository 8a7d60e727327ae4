// Replaces the key or the headers of a connection. Runs that waited continue.
import type { Connection } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { rememberWaiting } from '../../parts/connections/authorize.ts'
import { CredentialFields } from '../../parts/connections/CredentialFields.tsx'
import {
  credentialOf,
  emptyCredential,
  whyNotSent,
  type CredentialInput,
} from '../../parts/connections/credentialInput.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'

interface ReplaceSecretProps {
  connection: Connection
  waiting: string[]
  onClose: () => void
}

export function ReplaceSecret({ connection, waiting, onClose }: ReplaceSecretProps) {
  const queries = useQueryClient()
  const [credential, setCredential] = useState<CredentialInput>({
    ...emptyCredential,
    how: connection.auth_method === 'headers' ? 'headers' : 'key',
  })
  const save = useMutation({
    mutationFn: () => {
      rememberWaiting(connection.id, waiting)
      return runyard.connections.update(connection.id, credentialOf(credential))
    },
    onSuccess: async () => {
      toast('The credential is replaced')
      await Promise.all(
        [['connection', connection.id], ['connections']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Replace the credential of ${connection.name}`}
      verb="Replace"
      unable={whyNotSent(credential)}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <p className="sub">All that it sends now is replaced. The old one is erased and cannot be read again.</p>
      <CredentialFields value={credential} hasOAuth={false} onChange={setCredential} />
    </FormDialog>
  )
}
