// Does a run again, from its start or from one of its steps. It says what will be repeated and what that cost the first time.
import type { GetRunAnswer, StepRetry } from '@runyard/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { count, counted, money } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Field, Input, Select } from '../../../parts/Field.tsx'
import { Skeleton } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { runAroundQuery, runStepQuery } from '../../../queries/run.ts'
import { describeRepeats } from './repeats.ts'
import style from './RetryDialog.module.css'

interface RetryDialogProps {
  run: GetRunAnswer['run']
  /** The step to begin from; undefined: the start, unless another is chosen. */
  from: number | undefined
  onClose: () => void
}

export function RetryDialog({ run, from: given, onClose }: RetryDialogProps) {
  const [where, setWhere] = useState<'start' | 'step'>(given === undefined ? 'start' : 'step')
  const [text, setText] = useState(given === undefined ? '' : String(given))
  const [build, setBuild] = useState('same')
  const navigate = useNavigate()
  const around = useQuery(runAroundQuery(run))
  const seq = /^[1-9]\d{0,8}$/.test(text) && Number(text) <= run.usage.steps ? Number(text) : undefined
  const step = useQuery({ ...runStepQuery(run.id, seq ?? 0), enabled: where === 'step' && seq !== undefined })
  const preview = where === 'step' ? step.data?.retry : undefined
  const live = around.data?.agent.live_build_id
  const hasOther = live !== null && live !== undefined && live !== run.build_id

  const retry = useMutation({
    mutationFn: () =>
      runyard.runs.retry(run.id, {
        ...(where === 'step' && preview && { from_step: preview.from_step }),
        ...(build === 'live' && live && { build_id: live }),
      }),
    onSuccess: ({ run: again }) => {
      toast(`Run ${again.run_number} has begun`)
      onClose()
      return navigate({ to: '/runs/$runId', params: { runId: again.id } })
    },
  })
  const cannot =
    where === 'start'
      ? undefined
      : seq === undefined
        ? `Give the number of a step, from 1 to ${count(run.usage.steps)}.`
        : preview
          ? (preview.reason ?? undefined)
          : 'What it would repeat is not known yet.'
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="go" icon="retry" unable={cannot} isBusy={retry.isPending} onClick={() => retry.mutate()}>
        {where === 'start' ? 'Retry from the start' : `Retry from step ${text}`}
      </Button>
    </>
  )
  return (
    <Dialog isOpen onClose={onClose} title={`Retry run ${run.run_number}`} actions={actions}>
      <div className={style.form}>
        <p>A new run of {run.agent_name.slice(0, 80)} with the same input. This one stays as it is.</p>
        <fieldset className={style.where}>
          <legend className="forReaders">Where it begins</legend>
          <label>
            <input type="radio" name="where" checked={where === 'start'} onChange={() => setWhere('start')} />
            From the start
          </label>
          <label>
            <input type="radio" name="where" checked={where === 'step'} onChange={() => setWhere('step')} />
            From a step: what was before it is copied, with the files as they were
          </label>
        </fieldset>
        {where === 'step' && (
          <Field label="Step">
            <Input inputMode="numeric" value={text} onChange={(event) => setText(event.target.value.trim())} />
          </Field>
        )}
        {hasOther && (
          <Field label="Build">
            <Select
              value={build}
              onChange={(event) => setBuild(event.target.value)}
              options={[
                { value: 'same', label: `Build ${around.data?.build.revision_number ?? ''}, as before` },
                { value: 'live', label: 'The build that is live now' },
              ]}
            />
          </Field>
        )}
        {where === 'start' ? (
          <p className={style.preview}>
            It makes all of its {counted(run.usage.steps, 'step')} again; they cost {money(run.usage.cost_usd)}.
          </p>
        ) : step.error ? (
          <p role="alert" className={style.problem}>
            {messageOf(step.error)}
          </p>
        ) : preview ? (
          <Preview retry={preview} />
        ) : (
          seq !== undefined && <Skeleton what="what it would repeat" rows={2} />
        )}
        {retry.error && (
          <p role="alert" className={style.problem}>
            {messageOf(retry.error)}
          </p>
        )}
      </div>
    </Dialog>
  )
}

function Preview({ retry }: { retry: StepRetry }) {
  if (!retry.allowed) return <p className={style.problem}>{retry.reason}</p>
  return (
    <div className={style.preview}>
      <p>
        It makes {counted(retry.repeats_total, 'step')} again, from step {retry.repeats[0]?.seq ?? retry.from_step} on;
        they cost {money(retry.cost_usd)}.
      </p>
      <ul>
        {describeRepeats(retry).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
