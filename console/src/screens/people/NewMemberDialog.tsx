// Adds a person to the team.
import type { Member } from '@runyard/sdk'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, Input, Select } from '../../parts/Field.tsx'
import style from './PeopleScreen.module.css'

const roles = [
  { value: 'operator', label: 'Operator: runs agents and answers requests' },
  { value: 'viewer', label: 'Viewer: sees everything, changes nothing' },
  { value: 'admin', label: 'Admin: also members and keys' },
]

export function NewMemberDialog({ onClose, onAdded }: { onClose: () => void; onAdded: (member: Member) => void }) {
  const formId = useId()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('operator')
  const add = useMutation({
    mutationFn: () =>
      runyard.members.create({
        name: name.trim(),
        role: role as Member['role'],
        ...(email.trim() !== '' && { email: email.trim() }),
      }),
    onSuccess: ({ member }) => onAdded(member),
  })
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        type="submit"
        form={formId}
        kind="go"
        isBusy={add.isPending}
        unable={name.trim() === '' ? 'A member needs a name.' : undefined}
      >
        Add
      </Button>
    </>
  )
  return (
    <Dialog isOpen onClose={onClose} title="Add a member" actions={actions}>
      <form
        id={formId}
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') add.mutate()
        }}
      >
        <Field label="Name" isRequired problem={add.error ? messageOf(add.error) : undefined}>
          <Input value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="E-mail" hint="Signing in with your company’s account finds the member by it.">
          <Input type="email" value={email} onChange={(event) => setEmail(event.target.value)} />
        </Field>
        <Field label="Role">
          <Select options={roles} value={role} onChange={(event) => setRole(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  )
}
