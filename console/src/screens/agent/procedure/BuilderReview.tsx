// What the builder proposes: the procedure, what its runs are given, and what would start them. Nothing is made before it is accepted.
import type { Agent, BuilderRun } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type ReactNode } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { counted } from '../../../parts/amounts.ts'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { BuildDiff, changesIn, DiffCounts } from '../builds/BuildDiff.tsx'
import style from './BuilderPanel.module.css'

interface BuilderReviewProps {
  agent: Agent
  run: BuilderRun
  discard: ReactNode
}

export function BuilderReview({ agent, run, discard }: BuilderReviewProps) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [isMade, setMade] = useState(true)
  const diff = { procedure: run.diff ?? '', config: run.config_diff }
  const triggers = run.proposed_triggers ?? []
  const accept = useMutation({
    mutationFn: () =>
      runyard.agents.acceptRevision(run.build_id, {
        builder_run_id: run.id,
        ...(triggers.length > 0 && { make_triggers: isMade }),
      }),
    onSuccess({ build, triggers: made }) {
      void queries.invalidateQueries({ queryKey: ['agent', agent.id] })
      const paused = made.length === 0 ? '' : `, and ${counted(made.length, 'trigger')} until it is live`
      toast(`Draft ${build.revision_number} has the proposal${paused}`)
    },
    onError: (error) => toastError('The proposal was not taken', error),
  })
  return (
    <Card title="Proposal" facts={changesIn(diff)} aside={<DiffCounts diff={diff} />}>
      <div className={style.diff}>
        <BuildDiff diff={diff} />
      </div>
      {triggers.length > 0 && <Triggers triggers={triggers} isMade={isMade} onMade={setMade} />}
      <footer className={style.actions}>
        {discard}
        <Button
          kind="go"
          icon="check"
          isBusy={accept.isPending}
          unable={unable('agents:write')}
          onClick={() => accept.mutate()}
        >
          Accept into the draft
        </Button>
      </footer>
    </Card>
  )
}

type Proposed = NonNullable<BuilderRun['proposed_triggers']>

const isToProve = ({ kind, settings }: Proposed[number]): boolean => {
  const { verifier = 'none' } = (settings['webhook'] ?? {}) as { verifier?: string }
  return kind === 'webhook' && verifier !== 'none'
}

function Triggers({
  triggers,
  isMade,
  onMade,
}: {
  triggers: Proposed
  isMade: boolean
  onMade: (isMade: boolean) => void
}) {
  const title = useId()
  return (
    <section className={style.triggers} aria-labelledby={title}>
      <h3 id={title}>What would start runs</h3>
      <ul>
        {triggers.map((one, at) => (
          <li key={at}>
            {one.title}
            {typeof one.settings['message'] === 'string' && <small>Message: {one.settings['message']}</small>}
            {typeof one.settings['filter'] === 'string' && <small>Only if {one.settings['filter']}</small>}
            {isToProve(one) && <small>It stays paused until you give the secret of its sender, under Triggers.</small>}
          </li>
        ))}
      </ul>
      <label className={style.option}>
        <input type="checkbox" checked={isMade} onChange={(event) => onMade(event.target.checked)} />
        <span>
          Make them with the draft
          <small>They are paused until the draft becomes live.</small>
        </span>
      </label>
    </section>
  )
}
