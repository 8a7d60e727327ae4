// The fields of a trigger that only its kind has.
import { useQuery } from '@tanstack/react-query'
import { Field, Input, Select, TextArea } from '../../../parts/Field.tsx'
import { agentNamesQuery } from '../../../queries/agents.ts'
import { connectionsQuery, connectionToolsQuery } from '../../../queries/connections.ts'
import { brief } from '../../agents/brief.ts'
import { eventKinds } from '../../events/search.ts'
import { argumentsOf, type TriggerForm } from './triggerForm.ts'
import { verifierWords } from './triggerWords.ts'

interface FieldsProps {
  form: TriggerForm
  set: (change: Partial<TriggerForm>) => void
}

export function WebhookFields({ form, set, hasSecret }: FieldsProps & { hasSecret: boolean }) {
  return (
    <>
      <Field label="The sender proves itself by">
        <Select
          options={Object.entries(verifierWords).map(([value, label]) => ({ value, label }))}
          value={form.verifier}
          onChange={(event) => set({ verifier: event.target.value as TriggerForm['verifier'] })}
        />
      </Field>
      {form.verifier !== 'none' && (
        <Field label="Secret" hint={hasSecret ? 'Empty: it stays as it is.' : 'It is encrypted and never shown again.'}>
          <Input
            type="password"
            autoComplete="off"
            value={form.secret}
            maxLength={512}
            onChange={(event) => set({ secret: event.target.value })}
          />
        </Field>
      )}
      {form.verifier === 'secret' && (
        <Field label="Header" hint="Empty: x-webhook-secret.">
          <Input
            value={form.header}
            maxLength={100}
            placeholder="x-gitlab-token"
            onChange={(event) => set({ header: event.target.value.toLowerCase() })}
          />
        </Field>
      )}
    </>
  )
}

export function EventFields({ form, set }: FieldsProps) {
  const agents = useQuery(agentNamesQuery)
  return (
    <>
      <Field label="Event">
        <Select
          options={eventKinds.map((value) => ({ value, label: value }))}
          value={form.event}
          onChange={(event) => set({ event: event.target.value as TriggerForm['event'] })}
        />
      </Field>
      <Field label="Of the agent" hint="What its own runs cause starts nothing.">
        <Select
          options={[
            { value: '', label: 'Any' },
            ...(agents.data ?? []).map(({ id, name }) => ({ value: id, label: brief(name) })),
          ]}
          value={form.ofAgent}
          onChange={(event) => set({ ofAgent: event.target.value })}
        />
      </Field>
    </>
  )
}

export function PollFields({ form, set }: FieldsProps) {
  const connections = useQuery(connectionsQuery({ limit: 100 }))
  const tools = useQuery({ ...connectionToolsQuery(form.connection), enabled: form.connection !== '' })
  const usable = connections.data?.integrations.filter(({ type }) => type === 'mcp' || type === 'custom_mcp') ?? []
  return (
    <>
      <Field
        label="Connection"
        hint={connections.data && usable.length === 0 ? 'The team has no MCP connection yet.' : undefined}
        isRequired
      >
        <Select
          options={[
            { value: '', label: 'Choose one' },
            ...usable.map(({ id, name }) => ({ value: id, label: brief(name) })),
          ]}
          value={form.connection}
          onChange={(event) => set({ connection: event.target.value, tool: '' })}
        />
      </Field>
      <Field label="Tool" hint="It must be approved: nobody is there to be asked." isRequired>
        <Select
          options={[
            { value: '', label: 'Choose one' },
            ...(tools.data ?? []).map(({ name }) => ({ value: name, label: name })),
          ]}
          value={form.tool}
          onChange={(event) => set({ tool: event.target.value })}
        />
      </Field>
      <Field
        label="Arguments"
        hint="A JSON object; empty for none."
        problem={argumentsOf(form.args) === undefined ? 'This is not a JSON object.' : undefined}
      >
        <TextArea
          rows={3}
          value={form.args}
          placeholder='{"status": "open"}'
          onChange={(event) => set({ args: event.target.value })}
        />
      </Field>
      <Field label="Where the items are" hint="An expression. Empty: the answer is the list, or has only one.">
        <Input
          value={form.items}
          placeholder="result.orders"
          onChange={(event) => set({ items: event.target.value })}
        />
      </Field>
      <Field label="Minutes between two calls">
        <Input
          type="number"
          min={1}
          max={1440}
          value={form.every}
          onChange={(event) => set({ every: event.target.value })}
        />
      </Field>
      <Field label="What the first call finds">
        <Select
          options={[
            { value: 'no', label: 'is only remembered' },
            { value: 'yes', label: 'starts runs too' },
          ]}
          value={form.startExisting ? 'yes' : 'no'}
          onChange={(event) => set({ startExisting: event.target.value === 'yes' })}
        />
      </Field>
    </>
  )
}
