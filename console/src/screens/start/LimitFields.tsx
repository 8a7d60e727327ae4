// Tighter limits and a workspace for the run: what one seldom needs, folded.
import type { Build } from '@runyard/sdk'
import { Field, Input } from '../../parts/Field.tsx'
import { limitNames, limitOfBuild, type LimitName, type LimitTexts } from './limits.ts'
import style from './StartRun.module.css'

const fields: Record<LimitName, { label: string; step: string; min: number }> = {
  max_cost_usd: { label: 'Cost at most, USD', step: 'any', min: 0 },
  max_steps: { label: 'Steps at most', step: '1', min: 1 },
  max_duration_s: { label: 'Active time at most, seconds', step: 'any', min: 1 },
  max_tokens: { label: 'Tokens at most', step: '1', min: 1 },
}

interface LimitFieldsProps {
  limits: LimitTexts
  build: Build | undefined
  sandboxId: string
  onChange: (limits: LimitTexts) => void
  onSandbox: (id: string) => void
}

export function LimitFields({ limits, build, sandboxId, onChange, onSandbox }: LimitFieldsProps) {
  return (
    <details className={style.more}>
      <summary>Limits and sandbox</summary>
      <div className={style.limits}>
        {limitNames.map((name) => {
          const { label, step, min } = fields[name]
          const most = limitOfBuild(build, name)
          return (
            <Field key={name} label={label} hint={most === undefined ? undefined : `The build allows ${most}.`}>
              <Input
                type="number"
                inputMode="decimal"
                step={step}
                min={min}
                value={limits[name] ?? ''}
                onChange={(event) => onChange({ ...limits, [name]: event.target.value })}
              />
            </Field>
          )
        })}
      </div>
      <Field label="Sandbox id" hint="A sandbox of yours becomes the workspace of the run, with the files in it.">
        <Input spellCheck={false} value={sandboxId} onChange={(event) => onSandbox(event.target.value)} />
      </Field>
    </details>
  )
}
