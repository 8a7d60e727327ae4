// Makes an API key, shows it once, and gives a command that works with it.
import type { ApiKey } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { scopes } from '../../generated/scopes.ts'
import { Button } from '../../parts/Button.tsx'
import { CommandLine } from '../../parts/CommandLine.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import style from './PeopleScreen.module.css'

type Scope = ApiKey['scopes'][number]

/** Enough for a program that starts runs and reads what came of them. */
const usual: Scope[] = ['team:read', 'agents:read', 'runs:read', 'runs:write', 'files:read']

const offered = [...usual, ...scopes.filter((scope) => !usual.includes(scope))]

export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Scope[]>(usual)
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
        <fieldset className={style.scopes}>
          <legend>Scopes</legend>
          {offered.map((scope) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={({ target }) =>
                  setChosen((now) => (target.checked ? [...now, scope] : now.filter((each) => each !== scope)))
                }
              />
              <code>{scope}</code>
            </label>
          ))}
        </fieldset>
      </div>
    </Dialog>
  )
}
