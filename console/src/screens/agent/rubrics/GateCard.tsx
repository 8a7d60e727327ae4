// The gate before a promotion: what a build must have scored before it may go live, and who went past it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Field, Input } from '../../../parts/Field.tsx'
import { Shown } from '../../../parts/states.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { gateQuery } from '../../../queries/agents.ts'
import { ForcedPromotions } from '../ForcedPromotions.tsx'
import { FormCard } from '../FormCard.tsx'
import form from '../FormCard.module.css'

type Gate = Awaited<ReturnType<typeof runyard.evaluations.getPromotionGate>>

export function GateCard({ agentId }: { agentId: string }) {
  const gate = useQuery(gateQuery(agentId))
  return (
    <Shown query={gate} what="the gate" rows={4}>
      {(data) => (
        <>
          <Settings key={JSON.stringify(data.promotion_gate)} agentId={agentId} gate={data} />
          {data.forced_promotions.length > 0 && (
            <ForcedPromotions
              agentId={agentId}
              title="Went live past the gate"
              promotions={data.forced_promotions}
              words={({ score, min_score }) =>
                `${score === null ? 'no score' : score.toFixed(2)} of ${min_score.toFixed(2)}`
              }
            />
          )}
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
    <FormCard
      title="Promotion gate"
      facts={promotion_gate ? 'open to builds that score enough' : 'there is none'}
      what="A build goes live only if its last evaluated runs passed enough checks. Somebody may promote it all the same, with a reason."
      verb={promotion_gate ? 'Change the gate' : 'Set a gate'}
      unable={cannot ?? (isRight ? undefined : 'The score is from 0 to 1, the runs are one or more.')}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate(Number(score))}
      aside={
        promotion_gate && (
          <Button kind="no" isBusy={save.isPending} unable={cannot} onClick={() => save.mutate(null)}>
            Remove the gate
          </Button>
        )
      }
    >
      <div className={form.two}>
        <Field label="Least score" hint="0 to 1">
          <Input inputMode="decimal" value={score} onChange={(event) => setScore(event.target.value)} />
        </Field>
        <Field label="Of the last runs">
          <Input type="number" min={1} max={1000} value={runs} onChange={(event) => setRuns(event.target.value)} />
        </Field>
      </div>
    </FormCard>
  )
}
