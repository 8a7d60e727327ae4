// The rules as a form, with every problem at its field, and a dry run of what is typed.
import { InvalidRequestError, type GetGuardrailsAnswer, type GuardrailVersion } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { count, dollars } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Field, Input, Problem, TextArea } from '../../../parts/Field.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { dryRunQuery } from '../../../queries/guardrails.ts'
import { AllowedConnections } from './AllowedConnections.tsx'
import { DryRunReport } from './DryRunReport.tsx'
import form from './Guardrails.module.css'
import { noneWord, problemsIn, rulesIn, textOf, type FieldProblems, type RuleField } from './rulesText.ts'

interface Props {
  live: GuardrailVersion
  today: GetGuardrailsAnswer['today']
  /** Why this person may not change them. */
  cannot: string | undefined
}

export function GuardrailForm({ live, today, cannot }: Props) {
  const queries = useQueryClient()
  const [text, setText] = useState(() => textOf(live.rules))
  const [comment, setComment] = useState('')
  const [problems, setProblems] = useState<FieldProblems>({})
  const [refusal, setRefusal] = useState<string>()
  const [dryRunId, setDryRunId] = useState<string>()
  const dryRun = useQuery({ ...dryRunQuery(dryRunId ?? ''), enabled: dryRunId !== undefined })

  function refused(error: unknown) {
    const found = error instanceof InvalidRequestError ? problemsIn(error.message) : undefined
    setProblems(found?.problems ?? {})
    setRefusal(found ? found.rest : messageOf(error))
  }
  const save = useMutation({
    mutationFn: () =>
      runyard.guardrails.set({
        rules: rulesIn(text).rules,
        expected_version: live.version,
        ...(comment.trim() !== '' && { comment: comment.trim() }),
      }),
    onSuccess: ({ guardrails }) => {
      toast(`Version ${guardrails.version} of the guardrails is live`)
      return queries.invalidateQueries({ queryKey: ['guardrails'] })
    },
    onError: refused,
  })
  const attempt = useMutation({
    mutationFn: () => runyard.guardrails.startDryRun({ rules: rulesIn(text).rules }),
    onSuccess: ({ dry_run_id }) => setDryRunId(dry_run_id),
    onError: refused,
  })
  const isSame = JSON.stringify(text) === JSON.stringify(textOf(live.rules))

  /** Sends only what can be read. */
  function send(to: { mutate: () => void }) {
    const read = rulesIn(text)
    setProblems(read.problems)
    setRefusal(undefined)
    if (Object.keys(read.problems).length === 0) to.mutate()
  }
  const field = (name: RuleField, label: string, hint: string, used?: string) => ({
    name,
    label,
    hint: used === undefined ? hint : `${hint} Today: ${used}.`,
    value: text[name],
    problem: problems[name],
    isOff: cannot !== undefined,
    onChange: (value: string) => setText({ ...text, [name]: value }),
  })
  return (
    <Card title="Rules above all agents" facts={live.version === 0 ? 'none yet' : `version ${live.version} is live`}>
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isSame && cannot === undefined) send(save)
        }}
      >
        <fieldset className={form.group}>
          <legend>
            People
            <small>Whatever a build says, calls of these tools wait until people allow them.</small>
          </legend>
          <Lines
            {...field('always_ask', 'Tools that always ask', 'One a line; * stands for any characters: browser_*')}
          />
          <Lines
            {...field('two_person', 'Tools that need two people', 'Two different members must approve each call.')}
          />
        </fieldset>
        <fieldset className={form.group}>
          <legend>
            Where calls may go
            <small>Calls to anything else are refused, and the agent reads why.</small>
          </legend>
          <Lines
            {...field(
              'allowed_hosts',
              'Allowed hosts',
              `One a line: api.example.com, *.example.org. Empty: every host. The word ${noneWord}: no host.`,
            )}
          />
          <AllowedConnections {...field('allowed_connections', '', '')} />
        </fieldset>
        <fieldset className={form.group}>
          <legend>
            How much in a day
            <small>Days are those of UTC. Empty: no bound.</small>
          </legend>
          <Line
            {...field(
              'cost_usd_per_day',
              'Dollars for models',
              'Further model calls wait for the next day.',
              dollars(Number(today.cost_usd)),
            )}
          />
          <Line {...field('runs_per_day', 'Runs', 'Further starts are refused.', count(today.runs))} />
          <Line
            {...field(
              'outside_calls_per_day',
              'Outside calls',
              'Further calls wait for the next day.',
              count(today.outside_calls),
            )}
          />
        </fieldset>
        <fieldset className={form.group}>
          <legend>
            Quiet hours
            <small>Calls with an effect outside wait until they are over. Reading does not wait.</small>
          </legend>
          <Lines
            {...field('quiet_hours', 'Days and hours', 'One a line: mon-fri 20:00-07:00, or sat sun 00:00-24:00')}
          />
          <Line {...field('time_zone', 'Time zone of the quiet hours', 'Such as Europe/Berlin.')} />
        </fieldset>
        {refusal !== undefined && refusal !== '' && <Problem>{refusal}</Problem>}
        <div className={form.send}>
          <Field label="Why">
            <Input
              value={comment}
              placeholder="For the history"
              maxLength={500}
              disabled={cannot !== undefined}
              onChange={(event) => setComment(event.target.value)}
            />
          </Field>
          <Button unable={cannot} isBusy={attempt.isPending} onClick={() => send(attempt)}>
            Dry run
          </Button>
          <Button
            type="submit"
            kind="go"
            isBusy={save.isPending}
            unable={cannot ?? (isSame ? 'Nothing has changed.' : undefined)}
          >
            Make live
          </Button>
        </div>
      </form>
      {dryRunId !== undefined && <DryRunReport query={dryRun} />}
    </Card>
  )
}

interface LineProps {
  label: string
  hint: string
  value: string
  problem: string | undefined
  isOff: boolean
  onChange: (value: string) => void
}

const Line = ({ label, hint, value, problem, isOff, onChange }: LineProps) => (
  <Field label={label} hint={hint} problem={problem}>
    <Input value={value} disabled={isOff} onChange={(event) => onChange(event.target.value)} />
  </Field>
)

const Lines = ({ label, hint, value, problem, isOff, onChange }: LineProps) => (
  <Field label={label} hint={hint} problem={problem}>
    <TextArea rows={3} value={value} disabled={isOff} onChange={(event) => onChange(event.target.value)} />
  </Field>
)
