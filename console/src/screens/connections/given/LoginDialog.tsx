// Makes a login or changes one. The password and the seed are sent once and never shown again.
import type { Login } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { Field, Input } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'

export function LoginDialog({ login, onClose }: { login?: Login; onClose: () => void }) {
  const queries = useQueryClient()
  const [domain, setDomain] = useState(login?.domain ?? '')
  const [username, setUsername] = useState(login?.username ?? '')
  const [password, setPassword] = useState('')
  const [seed, setSeed] = useState('')
  const [isShared, setShared] = useState(login?.shared ?? true)
  const save = useMutation({
    mutationFn: () => {
      const shared = { domain: domain.trim(), username, shared: isShared, ...(seed !== '' && { otp_secret: seed }) }
      return login
        ? runyard.logins.update(login.id, { ...shared, ...(password !== '' && { password }) })
        : runyard.logins.create({ ...shared, password })
    },
    onSuccess: async ({ note }) => {
      toast(`The login for ${domain.trim()} is saved${note === null ? '' : `. ${note}`}`)
      onClose()
      await queries.invalidateQueries({ queryKey: ['given', 'logins'] })
    },
  })
  const isMoved = login !== undefined && domain.trim() !== login.domain
  const unable =
    domain.trim() === ''
      ? 'Give the domain of its pages first.'
      : username === ''
        ? 'Give a user name first.'
        : password === '' && (!login || isMoved)
          ? 'Type the password: it is stored with the domain.'
          : undefined
  const stays = 'Empty: it stays as it is.'
  return (
    <FormDialog
      title={login ? `Change the login for ${visible(login.domain)}` : 'New login'}
      verb="Save"
      unable={unable}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <Field
        label="Domain"
        hint="It is filled into pages of this host alone; *.example.com: all hosts below it."
        isRequired
      >
        <Input
          value={domain}
          placeholder="shop.example.com"
          spellCheck={false}
          onChange={(event) => setDomain(event.target.value)}
        />
      </Field>
      <Field label="User name" isRequired>
        <Input
          value={username}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setUsername(event.target.value)}
        />
      </Field>
      <Field label="Password" hint={login && !isMoved ? stays : 'Not shown again.'} isRequired={!login || isMoved}>
        <Input
          type="password"
          autoComplete="off"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <Field
        label="Seed of its one-time codes"
        hint={login?.has_otp ? stays : 'As the site shows it when two-factor login is set up. Empty: it has none.'}
      >
        <Input type="password" autoComplete="off" value={seed} onChange={(event) => setSeed(event.target.value)} />
      </Field>
      <label>
        <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} /> Runs of the
        whole team may use it
      </label>
    </FormDialog>
  )
}
