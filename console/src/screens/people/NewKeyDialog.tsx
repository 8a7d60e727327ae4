// Makes an API key, shows it once, and gives a command that works with it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { CommandLine } from '../../parts/CommandLine.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import style from './PeopleScreen.module.css'
import { ScopeChoices } from './ScopeChoices.tsx'
import { usualScopes, type Scope } from './scopeList.ts'

interface NewKeyDialogProps {
  onClose: () => void
  /** The scopes that are chosen at first. */
  scopes?: Scope[]
}

export function NewKeyDialog({ onClose, scopes = usualScopes }: NewKeyDialogProps) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(scopes)
  const make = useMutation({
    mutationFn: () => runyard.apiKeys.create({ ...(name.trim() !== '' && { name: name.trim() }), scopes: chosen }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['keys'] }),
        queries.invalidateQueries({ queryKey: ['overview', 'firstSteps'] }),
      ]),
  })
  if (make.data)
    return (
      <Dialog isOpen onClose={onClose} title="Copy the key now" actions={<Button onClick={onClose}>Done</Button>}>
        <div className={style.form}>
          <p>It is not shown again. Who has it can do what its scopes allow.</p>
          <CommandLine text={make.data.secret} />
          <p>Try it:</p>
          <CommandLine
            text={`curl -H 'Authorization: Bearer ${make.data.secret}' ${window.location.origin}/v2/teams`}
          />
        </div>
      </Dialog>
    )
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        kind="go"
        isBusy={make.isPending}
        unable={chosen.length === 0 ? 'A key needs a scope.' : undefined}
        onClick={() => make.mutate()}
      >
        Make the key
      </Button>
    </>
  )
  return (
    <Dialog isOpen onClose={onClose} title="Make a key" actions={actions}>
      <div className={style.form}>
        <Field label="Name" hint="What the program is called." problem={make.error ? messageOf(make.error) : undefined}>
          <Input value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <ScopeChoices chosen={chosen} onChange={setChosen} />
      </div>
    </Dialog>
  )
}
