// The gate before a promotion: what a build must have scored before it may go live, and who went past it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Field, Input, Problem } from '../../../parts/Field.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { buildsQuery, gateQuery } from '../../../queries/agents.ts'
import { membersQuery } from '../../../queries/team.ts'
import style from './GateCard.module.css'

type Gate = Awaited<ReturnType<typeof runyard.evaluations.getPromotionGate>>

export function GateCard({ agentId }: { agentId: string }) {
  const gate = useQuery(gateQuery(agentId))
  return (
    <Shown query={gate} what="the gate" rows={4}>
      {(data) => (
        <>
          <Settings key={JSON.stringify(data.promotion_gate)} agentId={agentId} gate={data} />
          {data.forced_promotions.length > 0 && <Forced agentId={agentId} gate={data} />}
        </>
      )}
    </Shown>
  )
}

function Settings({ agentId, gate: { promotion_gate } }: { agentId: string; gate: Gate }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [score, setScore] = useState(promotion_gate ? String(promotion_gate.min_score) : '0.9')
  const [runs, setRuns] = useState(String(promotion_gate?.last_runs ?? 10))
  const save = useMutation({
    mutationFn: (minScore: number | null) =>
      runyard.evaluations.putPromotionGate(agentId, {
        min_score: minScore,
        ...(minScore !== null && { last_runs: Number(runs) }),
      }),
    onSuccess(answer, minScore) {
      queries.setQueryData(gateQuery(agentId).queryKey, answer)
      void queries.invalidateQueries({ queryKey: ['agent', agentId] })
      if (minScore === null)
        toast('The gate is gone: every build may go live', () => save.mutate(promotion_gate?.min_score ?? null))
      else toast('The gate is set')
    },
    onError: (error) => toastError('The gate is as it was', error),
  })
  const cannot = unable('evals:write')
  const isRight = Number(score) >= 0 && Number(score) <= 1 && score.trim() !== '' && Number(runs) >= 1
  return (
    <Card title="Promotion gate" facts={promotion_gate ? 'open to builds that score enough' : 'there is none'}>
      <form
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isRight && cannot === undefined) save.mutate(Number(score))
        }}
      >
        <p>
          A build goes live only if its last evaluated runs passed enough checks. Somebody may promote it all the same,
          with a reason.
        </p>
        <div className={style.two}>
          <Field label="Least score" hint="0 to 1">
            <Input inputMode="decimal" value={score} onChange={(event) => setScore(event.target.value)} />
          </Field>
          <Field label="Of the last runs">
            <Input type="number" min={1} max={1000} value={runs} onChange={(event) => setRuns(event.target.value)} />
          </Field>
        </div>
        {save.error && <Problem>{messageOf(save.error)}</Problem>}
        <div className={style.actions}>
          {promotion_gate && (
            <Button kind="no" isBusy={save.isPending} unable={cannot} onClick={() => save.mutate(null)}>
              Remove the gate
            </Button>
          )}
          <Button
            type="submit"
            isBusy={save.isPending}
            unable={cannot ?? (isRight ? undefined : 'The score is from 0 to 1, the runs are one or more.')}
          >
            {promotion_gate ? 'Change the gate' : 'Set a gate'}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function Forced({ agentId, gate: { forced_promotions } }: { agentId: string; gate: Gate }) {
  const builds = useQuery(buildsQuery(agentId))
  const members = useQuery(membersQuery)
  const numberOf = (id: string) => builds.data?.builds.find((build) => build.id === id)?.revision_number
  const nameOf = (id: string | null) => members.data?.members.find((member) => member.id === id)?.name ?? 'somebody'
  return (
    <Card title="Went live past the gate">
      <ul className={style.forced}>
        {forced_promotions.map(({ id, build_id, reason, score, min_score, forced_by, created_at }) => (
          <li key={id}>
            <p>
              <b>Build {numberOf(build_id) ?? '?'}</b> by {nameOf(forced_by)}, <Time at={created_at} />:{' '}
              {score === null ? 'no score' : score.toFixed(2)} of {min_score.toFixed(2)}
            </p>
            <q>{reason}</q>
          </li>
        ))}
      </ul>
    </Card>
  )
}
