// The builder: somebody says what the agent shall do, and it proposes a procedure that is accepted or discarded.
import type { Agent, BuilderRun } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { money } from '../../../parts/amounts.ts'
import { Field, Problem, TextArea } from '../../../parts/Field.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { buildQuery } from '../../../queries/agents.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import style from './BuilderPanel.module.css'
import { BuilderQuestions } from './BuilderQuestions.tsx'
import { BuilderReview } from './BuilderReview.tsx'
import { builderRunKey, type BuilderState } from './useBuilderRun.ts'

const route = getRouteApi('/frame/agents/$agentId')

export function BuilderPanel({ agent, builder }: { agent: Agent; builder: BuilderState }) {
  const { run } = builder
  return (
    <>
      {!builder.isActive && <Ask agent={agent} />}
      {run?.status === 'waiting' && run.pending_user_questions && (
        <BuilderQuestions key={run.progress.length} agent={agent} run={run} />
      )}
      {run?.status === 'review' && (
        <BuilderReview agent={agent} run={run} discard={<Discard agent={agent} run={run} verb="Discard" />} />
      )}
      {run?.status === 'failed' && (
        <Card title="The builder stopped">
          <p className={style.text}>{run.error?.message ?? 'It does not say why.'}</p>
        </Card>
      )}
      {run && <Progress run={run} />}
      {builder.isWorking && run && <Discard agent={agent} run={run} verb="Stop" />}
    </>
  )
}

function Ask({ agent }: { agent: Agent }) {
  const { unable } = useSession()
  const { copy, errors } = useDraft()
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  const [prompt, setPrompt] = useState('')
  const start = useMutation({
    async mutationFn() {
      const build = await copy.saveNow()
      return runyard.agents.generateRevision(build.id, { ...(prompt.trim() !== '' && { prompt }) })
    },
    onSuccess({ builder_run, build_id }) {
      queries.setQueryData(builderRunKey(agent.id, builder_run.id), builder_run)
      void queries.invalidateQueries({ queryKey: buildQuery(agent.id, build_id).queryKey })
      void queries.invalidateQueries({ queryKey: ['agent', agent.id, 'builds'] })
      setPrompt('')
      void navigate({ search: (now) => ({ ...now, build: build_id, panel: 'builder' }), replace: true })
    },
  })
  return (
    <Card title="Describe it to the builder">
      <form
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault()
          start.mutate()
        }}
      >
        <Field
          label="What shall the agent do?"
          hint="It asks where something is unclear or missing, and proposes a change, with secrets, skills and triggers by name. Nothing changes until you accept it. Left empty, it improves what is there. Never write a password or a token here: save it as a secret."
        >
          <TextArea
            rows={6}
            maxLength={32_768}
            value={prompt}
            placeholder="Sort incoming invoices by supplier. Check that each has an amount and a due date. Done when every invoice is filed."
            onChange={(event) => setPrompt(event.target.value)}
          />
        </Field>
        {start.error && <Problem>{messageOf(start.error)}</Problem>}
        <Button
          type="submit"
          kind="go"
          icon="model"
          isBusy={start.isPending}
          unable={
            unable('agents:write') ??
            (errors > 0 ? 'Fix the errors first: the builder begins with what is saved.' : undefined)
          }
        >
          {prompt.trim() === '' ? 'Improve it' : 'Propose'}
        </Button>
      </form>
    </Card>
  )
}

const words: Record<BuilderRun['status'], string> = {
  pending: 'Waits for its turn',
  running: 'At work',
  waiting: 'Asks something',
  review: 'Proposes a change',
  completed: 'Accepted',
  discarded: 'Discarded',
  failed: 'Stopped',
}

function Progress({ run }: { run: BuilderRun }) {
  const { status, progress, prompt, usage } = run
  const shape = (
    {
      pending: 'pending',
      running: 'running',
      waiting: 'human',
      review: 'human',
      completed: 'done',
      discarded: 'stopped',
      failed: 'failed',
    } as const
  )[status]
  return (
    <Card
      title="Builder"
      facts={
        <span className={style.status}>
          <StatusShape shape={shape} size={14} /> {words[status]}
        </span>
      }
      aside={usage.cost_usd > 0 && money(usage.cost_usd)}
    >
      {/* a long one scrolls, and a keyboard must reach its end */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={style.prompt} tabIndex={0} role="region" aria-label="What was asked for">
        {prompt === '' ? 'Improve what is there.' : prompt}
      </div>
      <ol className={style.progress} aria-live="polite">
        {progress.map(({ at, text }, n) => (
          <li key={n}>
            <span>{text}</span>
            <Time at={at} kind="clock" />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Discard({ agent, run, verb }: { agent: Agent; run: BuilderRun; verb: string }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const discard = useMutation({
    mutationFn: () => runyard.agents.discardRevision(run.build_id, { builder_run_id: run.id }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['agent', agent.id] })
      toast('The draft is as it was')
    },
    onError: (error) => toastError('Nothing was discarded', error),
  })
  return (
    <Button isBusy={discard.isPending} unable={unable('agents:write')} onClick={() => discard.mutate()}>
      {verb}
    </Button>
  )
}
