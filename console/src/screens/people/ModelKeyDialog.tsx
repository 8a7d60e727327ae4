// Takes a key of a provider, which the provider is asked about before it is saved.
import type { ModelKey } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Input } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { providerNames, type ModelProvider } from './providerNames.ts'

interface ModelKeyDialogProps {
  provider: ModelProvider
  /** The one that is replaced. */
  own: ModelKey | undefined
  onClose: () => void
}

export function ModelKeyDialog({ provider, own, onClose }: ModelKeyDialogProps) {
  const queries = useQueryClient()
  const [key, setKey] = useState('')
  const [url, setUrl] = useState(own?.base_url ?? '')
  const hasUrl = provider === 'openai-compatible'
  const save = useMutation({
    mutationFn: () => {
      const given = { key: key.trim(), ...(hasUrl && { base_url: url.trim() === '' ? null : url.trim() }) }
      return own ? runyard.modelKeys.update(own.id, given) : runyard.modelKeys.create({ provider, ...given })
    },
    onSuccess: () => {
      toast(`${providerNames[provider]} takes the key: it is saved`)
      onClose()
      return queries.invalidateQueries({ queryKey: ['models'] })
    },
  })
  return (
    <FormDialog
      title={`${own ? 'Replace the' : 'Give a'} key for ${providerNames[provider]}`}
      onClose={onClose}
      verb="Test and save"
      unable={key.trim() === '' ? 'A key is needed.' : undefined}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
    >
      <Field label="Key" hint="It is sealed at rest and shown to nobody, agents least of all." isRequired>
        <Input type="password" autoComplete="off" value={key} onChange={(event) => setKey(event.target.value)} />
      </Field>
      {hasUrl && (
        <Field label="URL of the server" hint="Empty: the one that this server is set to.">
          <Input type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
        </Field>
      )}
    </FormDialog>
  )
}
