// Makes an OAuth client, shows its secret once, and gives a command that gets a token with it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { CommandLine } from '../../parts/CommandLine.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import style from './PeopleScreen.module.css'
import { ScopeChoices } from './ScopeChoices.tsx'
import { usualScopes } from './scopeList.ts'

export function NewClientDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(usualScopes)
  const make = useMutation({
    mutationFn: () => runyard.oauthClients.create({ ...(name.trim() !== '' && { name: name.trim() }), scopes: chosen }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['oauthClients'] }),
  })
  if (make.data) {
    const { client_id, client_secret } = make.data
    return (
      <Dialog isOpen onClose={onClose} title="Copy the secret now" actions={<Button onClick={onClose}>Done</Button>}>
        <div className={style.form}>
          <p>It is not shown again. The client id stays in the list.</p>
          <CommandLine text={client_id} />
          <CommandLine text={client_secret} />
          <p>This gets a token:</p>
          <CommandLine
            text={`curl -u '${client_id}:${client_secret}' -d grant_type=client_credentials ${window.location.origin}/oauth/token`}
          />
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title="New OAuth client"
      onClose={onClose}
      verb="Make the client"
      unable={chosen.length === 0 ? 'A client needs a scope.' : undefined}
      isBusy={make.isPending}
      error={make.error}
      onSend={() => make.mutate()}
    >
      <Field label="Name" hint="What the program is called.">
        <Input value={name} onChange={(event) => setName(event.target.value)} maxLength={100} />
      </Field>
      <ScopeChoices chosen={chosen} onChange={setChosen} />
    </FormDialog>
  )
}
