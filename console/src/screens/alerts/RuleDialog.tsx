// Makes a rule of alerts or changes one, and says what it would measure now.
import type { AlertRule, CreateAlertRuleInput, PreviewAlertRuleAnswer } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Field, Input, Select } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { agentNamesQuery } from '../../queries/agents.ts'
import style from './AlertsScreen.module.css'
import { scopeNames, scopesOf, signalNames, unitOf, usualWindow, type Scope, type Signal } from './alertText.ts'

/** What is typed; a number is text until it is sent. */
interface Typed {
  name: string
  signal: Signal
  scope: Scope
  scopeId: string
  threshold: string
  clear: string
  window: string
  forMinutes: string
  clearMinutes: string
  remind: string
  pausesAgent: boolean
}

const typedOf = (rule: AlertRule | undefined): Typed => ({
  name: rule?.name ?? '',
  signal: rule?.signal ?? 'failure_rate',
  scope: rule?.scope ?? 'team',
  scopeId: rule?.scope_id ?? '',
  threshold: rule ? String(rule.threshold) : '50',
  clear: rule ? String(rule.clear_threshold) : '',
  window: rule?.window_minutes ? String(rule.window_minutes) : '',
  forMinutes: rule ? String(rule.for_minutes) : '0',
  clearMinutes: rule ? String(rule.clear_minutes) : '5',
  remind: rule?.remind_hours ? String(rule.remind_hours) : '',
  pausesAgent: rule?.pause_agent ?? false,
})

const numberOf = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text))

/** What may be sent of a rule that exists; a new one has its signal and its scope too. */
function changesOf(typed: Typed) {
  const [clear, window] = [numberOf(typed.clear), numberOf(typed.window)]
  return {
    name: typed.name.trim(),
    threshold: Number(typed.threshold),
    ...(clear !== undefined && { clear_threshold: clear }),
    ...(window !== undefined && usualWindow[typed.signal] !== undefined && { window_minutes: window }),
    for_minutes: numberOf(typed.forMinutes) ?? 0,
    clear_minutes: numberOf(typed.clearMinutes) ?? 0,
    remind_hours: numberOf(typed.remind) ?? null,
    pause_agent: typed.scope === 'agent' && typed.pausesAgent,
  }
}

const inputOf = (typed: Typed): CreateAlertRuleInput => ({
  ...changesOf(typed),
  signal: typed.signal,
  scope: typed.scope,
  scope_id: typed.scope === 'team' ? null : typed.scopeId.trim(),
})

export function RuleDialog({ rule, onClose }: { rule?: AlertRule; onClose: () => void }) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState(typedOf(rule))
  const type = (change: Partial<Typed>) => setTyped((now) => ({ ...now, ...change }))
  const save = useMutation({
    mutationFn: () =>
      rule ? runyard.alerts.updateRule(rule.id, changesOf(typed)) : runyard.alerts.createRule(inputOf(typed)),
    onSuccess: async () => {
      toast('The rule is saved')
      onClose()
      await queries.invalidateQueries({ queryKey: ['alerts'] })
    },
  })
  const unable =
    typed.name.trim() === ''
      ? 'The rule needs a name.'
      : typed.scope !== 'team' && typed.scopeId === ''
        ? 'Choose what it is about.'
        : undefined
  return (
    <FormDialog
      title={rule ? `Change ${visible(rule.name)}` : 'New rule'}
      verb="Save"
      unable={unable}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
      aside={<TryIt typed={typed} unable={unable} />}
    >
      <Field label="Name" isRequired>
        <Input value={typed.name} maxLength={100} onChange={(event) => type({ name: event.target.value })} />
      </Field>
      {!rule && <About typed={typed} onType={type} />}
      <Thresholds typed={typed} onType={type} />
      <Field label="Remind every" hint="Hours, while nobody looks at the incident. Empty: never.">
        <Input inputMode="numeric" value={typed.remind} onChange={(event) => type({ remind: event.target.value })} />
      </Field>
      {typed.scope === 'agent' && (
        <label>
          <input
            type="checkbox"
            checked={typed.pausesAgent}
            onChange={(event) => type({ pausesAgent: event.target.checked })}
          />{' '}
          An incident pauses the agent, until somebody resumes it
        </label>
      )}
    </FormDialog>
  )
}

interface PartProps {
  typed: Typed
  onType: (change: Partial<Typed>) => void
}

function About({ typed, onType }: PartProps) {
  const agents = useQuery({ ...agentNamesQuery, enabled: typed.scope === 'agent' })
  const scopes = scopesOf[typed.signal]
  return (
    <>
      <Field label="Signal">
        <Select
          value={typed.signal}
          options={Object.entries(signalNames).map(([value, label]) => ({ value, label }))}
          onChange={({ target }) => {
            const signal = target.value as Signal
            onType({ signal, scope: scopesOf[signal][0]!, scopeId: '', window: '' })
          }}
        />
      </Field>
      <Field label="Of">
        <Select
          value={typed.scope}
          options={scopes.map((value) => ({ value, label: scopeNames[value] }))}
          onChange={({ target }) => onType({ scope: target.value as Scope, scopeId: '' })}
        />
      </Field>
      {typed.scope === 'agent' && (
        <Field label="Agent" isRequired>
          <Select
            value={typed.scopeId}
            options={[
              { value: '', label: 'Choose an agent' },
              ...(agents.data ?? []).map(({ id, name }) => ({ value: id, label: visible(name) })),
            ]}
            onChange={({ target }) => onType({ scopeId: target.value })}
          />
        </Field>
      )}
      {typed.scope !== 'team' && typed.scope !== 'agent' && (
        <Field label={`Id of the ${typed.scope}`} isRequired>
          <Input
            value={typed.scopeId}
            spellCheck={false}
            onChange={(event) => onType({ scopeId: event.target.value.trim() })}
          />
        </Field>
      )}
    </>
  )
}

function Thresholds({ typed, onType }: PartProps) {
  const usual = usualWindow[typed.signal]
  const numbers: [keyof Typed, string, string][] = [
    ['threshold', 'Opens at', unitOf[typed.signal]],
    ['clear', 'Closes below', 'Empty: four fifths of it'],
    ...(usual === undefined
      ? []
      : ([['window', 'Of the last minutes', `Empty: ${usual}${typed.signal === 'cost' ? '; whole days' : ''}`]] as [
          keyof Typed,
          string,
          string,
        ][])),
    ['forMinutes', 'Over for', 'Minutes before it opens'],
    ['clearMinutes', 'Well for', 'Minutes before it closes'],
  ]
  return (
    <div className={style.numbers}>
      {numbers.map(([name, label, hint]) => (
        <Field key={name} label={label} hint={hint}>
          <Input
            inputMode="decimal"
            value={String(typed[name])}
            onChange={(event) => onType({ [name]: event.target.value })}
          />
        </Field>
      ))}
    </div>
  )
}

function TryIt({ typed, unable }: { typed: Typed; unable: string | undefined }) {
  const preview = useMutation({
    mutationFn: () => runyard.alerts.previewRule(inputOf(typed)),
    onError: (error) => toastError('It could not be measured', error),
  })
  return (
    <>
      <Button icon="play" unable={unable} isBusy={preview.isPending} onClick={() => preview.mutate()}>
        What would it say now?
      </Button>
      <span className="dim small" aria-live="polite">
        {preview.data && `${preview.data.says} ${pastOf(preview.data)}`}
      </span>
    </>
  )
}

/** How often the last week would have been over the threshold. */
function pastOf({ over_in_history: over, history }: PreviewAlertRuleAnswer): string {
  if (over === null || history === null) return 'Its past is not stored.'
  const unit = history.length > 7 ? 'hours' : 'days'
  return over === 0 ? 'Not once in the last seven days.' : `At ${over} of ${history.length} ${unit} of the last week.`
}
