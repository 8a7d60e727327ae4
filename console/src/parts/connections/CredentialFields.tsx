// The fields of a credential. What is typed is sent once and never shown again.
import { Field, Input, Select, TextArea } from '../Field.tsx'
import type { CredentialInput, How } from './credentialInput.ts'

interface CredentialFieldsProps {
  value: CredentialInput
  hasOAuth: boolean
  onChange: (value: CredentialInput) => void
}

const ways: { value: How; label: string }[] = [
  { value: 'oauth', label: 'A person signs in (OAuth)' },
  { value: 'key', label: 'A key' },
  { value: 'headers', label: 'Headers' },
  { value: 'none', label: 'Nothing' },
]

export function CredentialFields({ value, hasOAuth, onChange }: CredentialFieldsProps) {
  const { how, key, header, headers } = value
  return (
    <>
      <Field label="What it sends with each call">
        <Select
          value={how}
          options={ways.filter((way) => (hasOAuth ? true : way.value === 'key' || way.value === 'headers'))}
          onChange={(event) => onChange({ ...value, how: event.target.value as How })}
        />
      </Field>
      {how === 'key' && (
        <>
          <Field label="Key" hint="Encrypted at once. It is not shown again." isRequired>
            <Input
              type="password"
              autoComplete="off"
              value={key}
              onChange={(event) => onChange({ ...value, key: event.target.value })}
            />
          </Field>
          <Field label="Header of the key" hint="Empty: Authorization: Bearer …">
            <Input
              value={header}
              placeholder="X-Api-Key"
              spellCheck={false}
              onChange={(event) => onChange({ ...value, header: event.target.value })}
            />
          </Field>
        </>
      )}
      {how === 'headers' && (
        <Field label="Headers" hint="One a line. Encrypted at once; their values are not shown again." isRequired>
          <TextArea
            value={headers}
            placeholder="X-Api-Key: …"
            spellCheck={false}
            onChange={(event) => onChange({ ...value, headers: event.target.value })}
          />
        </Field>
      )}
    </>
  )
}
