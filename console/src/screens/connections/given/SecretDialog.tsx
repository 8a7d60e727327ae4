// Makes a secret or changes one. Values are sent once and never shown again; those that are left empty stay as they are.
import type { Secret } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { Button } from '../../../parts/Button.tsx'
import { Field, Input } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import style from './given.module.css'

interface Variable {
  /** Stays the same while its name is typed. */
  row: number
  key: string
  value: string
  /** It is there already: its value may be left empty. */
  isStored: boolean
}

const word = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

export function SecretDialog({ secret, onClose }: { secret?: Secret; onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(secret?.name ?? '')
  const [isShared, setShared] = useState(secret?.shared ?? true)
  const [variables, setVariables] = useState<Variable[]>(
    secret
      ? secret.env_var_keys.map((key, row) => ({ row, key, value: '', isStored: true }))
      : [{ row: 0, key: '', value: '', isStored: false }],
  )
  const change = (row: number, part: Partial<Variable>) =>
    setVariables((now) => now.map((one) => (one.row === row ? { ...one, ...part } : one)))
  const save = useMutation({
    mutationFn: async () => {
      const given = Object.fromEntries(
        variables.filter(({ value }) => value !== '').map(({ key, value }) => [key, value]),
      )
      if (!secret) return runyard.secrets.create({ name, values: given, shared: isShared })
      const left = new Set(variables.map(({ key }) => key))
      const gone = Object.fromEntries(secret.env_var_keys.filter((key) => !left.has(key)).map((key) => [key, null]))
      const values = { ...gone, ...given }
      const changes = { name, shared: isShared, ...(Object.keys(values).length > 0 && { values }) }
      return runyard.secrets.update(secret.id, changes)
    },
    onSuccess: async () => {
      toast(`${name} is saved`)
      onClose()
      await queries.invalidateQueries({ queryKey: ['given', 'secrets'] })
    },
  })
  const keys = variables.map(({ key }) => key)
  const unable = !word.test(name)
    ? 'A name has letters, digits and _, and does not begin with a digit.'
    : keys.length === 0
      ? 'Add a variable first.'
      : keys.some((key) => !word.test(key))
        ? 'Each variable needs a name of letters, digits and _.'
        : new Set(keys).size < keys.length
          ? 'Two variables have the same name.'
          : variables.some(({ value, isStored }) => value === '' && !isStored)
            ? 'A new variable needs a value.'
            : undefined
  const next = Math.max(-1, ...variables.map(({ row }) => row)) + 1
  return (
    <FormDialog
      title={secret ? `Change the secret ${secret.name}` : 'New secret'}
      verb="Save"
      unable={unable}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
      width="wide"
      aside={
        <Button
          icon="plus"
          onClick={() => setVariables((now) => [...now, { row: next, key: '', value: '', isStored: false }])}
        >
          Add a variable
        </Button>
      }
    >
      <Field label="Name" hint="Builds and procedures use it: {{ secrets.NAME.KEY }}." isRequired>
        <Input value={name} maxLength={100} spellCheck={false} onChange={(event) => setName(event.target.value)} />
      </Field>
      {variables.map(({ row, key, value, isStored }, nth) => (
        <div key={row} className={style.pair}>
          <Field label={`Variable ${nth + 1}`}>
            <Input
              value={key}
              placeholder="API_TOKEN"
              maxLength={100}
              spellCheck={false}
              readOnly={isStored}
              onChange={(event) => change(row, { key: event.target.value })}
            />
          </Field>
          <Field label={`Value ${nth + 1}`} hint={isStored ? 'Empty: it stays as it is.' : 'Not shown again.'}>
            <Input
              type="password"
              autoComplete="off"
              value={value}
              maxLength={8000}
              onChange={(event) => change(row, { value: event.target.value })}
            />
          </Field>
          <Button
            kind="quiet"
            icon="x"
            aria-label={`Remove variable ${nth + 1}`}
            onClick={() => setVariables((now) => now.filter((one) => one.row !== row))}
          />
        </div>
      ))}
      <label>
        <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} /> Runs of the
        whole team may use it
      </label>
    </FormDialog>
  )
}
