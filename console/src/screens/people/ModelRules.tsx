// Which models the team's agents may use, and which one they use where they name none.
import type { ModelSettings } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { Field, Input, Problem, TextArea } from '../../parts/Field.tsx'
import { toast } from '../../parts/toasts.tsx'
import style from './PeopleScreen.module.css'

export function ModelRules({ settings }: { settings: ModelSettings }) {
  const queries = useQueryClient()
  const [allowed, setAllowed] = useState((settings.allowed_models ?? []).join('\n'))
  const [preset, setPreset] = useState(settings.default_model ?? '')
  const wanted = allowed.split(/[\s,]+/).filter((name) => name !== '')
  const save = useMutation({
    mutationFn: () =>
      runyard.modelSettings.update({
        allowed_models: wanted.length > 0 ? wanted : null,
        default_model: preset.trim() === '' ? null : preset.trim(),
      }),
    onSuccess: () => {
      toast('The rules for models are saved')
      return queries.invalidateQueries({ queryKey: ['models'] })
    },
  })
  const isSame =
    wanted.join('\n') === (settings.allowed_models ?? []).join('\n') && preset.trim() === (settings.default_model ?? '')
  return (
    <Card title="What agents may use">
      <form
        className={style.rules}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isSame) save.mutate()
        }}
      >
        <Field
          label="Default model"
          hint={`For agents that name none. Empty: the server’s, which is ${settings.server_default}.`}
        >
          <Input
            value={preset}
            placeholder={settings.server_default}
            onChange={(event) => setPreset(event.target.value)}
          />
        </Field>
        <Field
          label="Allowed models"
          hint="One a line, such as anthropic:claude-sonnet-5 or openai:*. Empty: every model. builtin:runbook is always allowed."
        >
          <TextArea value={allowed} onChange={(event) => setAllowed(event.target.value)} />
        </Field>
        {save.error && <Problem>{messageOf(save.error)}</Problem>}
        <div>
          <Button type="submit" kind="go" isBusy={save.isPending} unable={isSame ? 'Nothing has changed.' : undefined}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
