// Makes a rule of alerts or changes one, and says what it would measure now.
import type { AlertRule, PreviewAlertRuleAnswer } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import style from './AlertsScreen.module.css'
import { aboutText, unitOf, usualWindow, type Signal } from './alertText.ts'
import { changesOf, inputOf, labelOf, typedOf, unableOf, type NumberField, type Typed } from './ruleForm.ts'
import { ScopeChoice } from './ScopeChoice.tsx'
import { WhoHears } from './WhoHears.tsx'

export function RuleDialog({ rule, onClose }: { rule?: AlertRule; onClose: () => void }) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState(typedOf(rule))
  const type = (change: Partial<Typed>) => setTyped((now) => ({ ...now, ...change }))
  const save = useMutation({
    mutationFn: () =>
      rule ? runyard.alerts.updateRule(rule.id, changesOf(typed, rule)) : runyard.alerts.createRule(inputOf(typed)),
    onSuccess: async () => {
      toast('The rule is saved')
      onClose()
      await queries.invalidateQueries({ queryKey: ['alerts'] })
    },
  })
  const unable = unableOf(typed)
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
      {rule ? <p className="dim">{aboutText(rule)}</p> : <ScopeChoice typed={typed} onType={type} />}
      <Numbers typed={typed} onType={type} />
      <WhoHears tells={typed.tells} onChange={(tells) => type({ tells })} />
      {typed.scope === 'agent' && (
        <label className={style.check}>
          <input
            type="checkbox"
            checked={typed.pausesAgent}
            onChange={(event) => type({ pausesAgent: event.target.checked })}
          />
          <span>
            Pause the agent when an incident opens
            <span className="dim small">No run of its live build starts until a person resumes it.</span>
          </span>
        </label>
      )}
    </FormDialog>
  )
}

interface NumberShown {
  field: NumberField
  hint: string
}

/** The numbers that a rule over this signal has. */
function numbersOf(signal: Signal): NumberShown[] {
  const usual = usualWindow[signal]
  return [
    { field: 'threshold', hint: unitOf[signal] },
    { field: 'clear', hint: 'Empty: four fifths of it' },
    ...(usual === undefined
      ? []
      : [{ field: 'window' as const, hint: `Empty: ${usual}${signal === 'cost' ? '; whole days' : ''}` }]),
    ...(signal === 'failure_rate'
      ? [{ field: 'minRuns' as const, hint: 'Empty: 5; with fewer there is no rate' }]
      : []),
    { field: 'forMinutes', hint: 'Minutes before it opens' },
    { field: 'clearMinutes', hint: 'Minutes before it closes' },
    { field: 'remind', hint: 'Hours, while nobody looks at it. Empty: never' },
  ]
}

function Numbers({ typed, onType }: { typed: Typed; onType: (change: Partial<Typed>) => void }) {
  return (
    <div className={style.numbers}>
      {numbersOf(typed.signal).map(({ field, hint }) => (
        <Field key={field} label={labelOf(field)} hint={hint}>
          <Input
            inputMode="decimal"
            value={typed[field]}
            onChange={(event) => onType({ [field]: event.target.value })}
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
    <span className={style.tryIt}>
      <Button icon="play" unable={unable} isBusy={preview.isPending} onClick={() => preview.mutate()}>
        What would it say now?
      </Button>
      <span className="dim small" aria-live="polite">
        {preview.data && `${preview.data.says} ${pastOf(preview.data)}`}
      </span>
    </span>
  )
}

/** How often the last week would have been over the threshold. */
function pastOf({ over_in_history: over, history }: PreviewAlertRuleAnswer): string {
  if (over === null || history === null) return 'Its past is not stored.'
  const unit = history.length > 7 ? 'hours' : 'days'
  return over === 0 ? 'Not once in the last seven days.' : `At ${over} of ${history.length} ${unit} of the last week.`
}
