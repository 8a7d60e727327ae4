// The replay gate: which replay a build needs before it may go live, and who went past it.
import type { ReplaySet } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Field, Input, Select } from '../../../parts/Field.tsx'
import { Shown } from '../../../parts/states.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { replayGateQuery } from '../../../queries/replays.ts'
import { ForcedPromotions } from '../ForcedPromotions.tsx'
import { FormCard } from '../FormCard.tsx'
import form from '../FormCard.module.css'
import { isAmount } from '../../../parts/isAmount.ts'

type Gate = Awaited<ReturnType<typeof runyard.replays.getGate>>

interface Props {
  agentId: string
  sets: ReplaySet[]
}

export function ReplayGateCard({ agentId, sets }: Props) {
  const gate = useQuery(replayGateQuery(agentId))
  return (
    <Shown query={gate} what="the replay gate" rows={3}>
      {(data) => (
        <>
          <Settings key={JSON.stringify([data.replay_gate, sets.length])} agentId={agentId} sets={sets} gate={data} />
          {data.forced_promotions.length > 0 && (
            <ForcedPromotions
              agentId={agentId}
              title="Went live past the replay gate"
              promotions={data.forced_promotions}
              words={({ match, min_match }) =>
                `${match === null ? 'no replay' : `match ${match.toFixed(2)}`} of ${min_match.toFixed(2)}`
              }
            />
          )}
        </>
      )}
    </Shown>
  )
}

function Settings({ agentId, sets, gate: { replay_gate } }: Props & { gate: Gate }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [setId, setSetId] = useState(replay_gate?.replay_set_id ?? sets[0]?.id ?? '')
  const [match, setMatch] = useState(String(replay_gate?.min_match ?? 0.95))
  const [cost, setCost] = useState(replay_gate?.max_cost_usd ?? '')
  const save = useMutation({
    mutationFn: (minMatch: number | null) =>
      runyard.replays.putGate(agentId, {
        min_match: minMatch,
        ...(minMatch !== null && { replay_set_id: setId, max_cost_usd: cost.trim() === '' ? null : cost.trim() }),
      }),
    onSuccess(answer, minMatch) {
      queries.setQueryData(replayGateQuery(agentId).queryKey, answer)
      void queries.invalidateQueries({ queryKey: ['agent', agentId] })
      toast(minMatch === null ? 'The replay gate is gone' : 'The replay gate is set')
    },
    onError: (error) => toastError('The replay gate is as it was', error),
  })
  const isRight =
    match.trim() !== '' && Number(match) >= 0 && Number(match) <= 1 && (cost.trim() === '' || isAmount(cost.trim()))
  const cannot =
    unable('evals:write') ??
    (setId === ''
      ? 'Record runs first: there is no replay set.'
      : isRight
        ? undefined
        : 'The match is from 0 to 1, and the cost is an amount, such as 2.50.')
  return (
    <FormCard
      title="Replay gate"
      facts={replay_gate ? 'a build needs a good replay' : 'there is none'}
      what="A build goes live only after a replay of it that matched enough."
      verb={replay_gate ? 'Change the gate' : 'Set a gate'}
      unable={cannot}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate(Number(match))}
      aside={
        replay_gate && (
          <Button kind="no" isBusy={save.isPending} unable={unable('evals:write')} onClick={() => save.mutate(null)}>
            Remove the gate
          </Button>
        )
      }
    >
      <Field label="Set of the gate">
        <Select
          options={sets.map(({ id, name }) => ({ value: id, label: name }))}
          value={setId}
          onChange={(event) => setSetId(event.target.value)}
        />
      </Field>
      <div className={form.two}>
        <Field label="Least match" hint="0 to 1">
          <Input inputMode="decimal" value={match} onChange={(event) => setMatch(event.target.value)} />
        </Field>
        <Field label="Highest cost" hint="USD, or empty">
          <Input inputMode="decimal" value={cost} onChange={(event) => setCost(event.target.value)} />
        </Field>
      </div>
    </FormCard>
  )
}
