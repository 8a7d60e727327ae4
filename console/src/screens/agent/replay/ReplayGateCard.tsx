// The replay gate: which replay a build needs before it may go live, and who went past it.
import type { ReplaySet } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Field, Input, Problem, Select } from '../../../parts/Field.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { buildsQuery } from '../../../queries/agents.ts'
import { replayGateQuery } from '../../../queries/replays.ts'
import { membersQuery } from '../../../queries/team.ts'
import { isAmount } from './amount.ts'
import style from './ReplayTab.module.css'

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
          {data.forced_promotions.length > 0 && <Forced agentId={agentId} gate={data} />}
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
    <Card title="Replay gate" facts={replay_gate ? 'a build needs a good replay' : 'there is none'}>
      <form
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (cannot === undefined) save.mutate(Number(match))
        }}
      >
        <p className="dim">A build goes live only after a replay of it that matched enough.</p>
        <Field label="Set of the gate">
          <Select
            options={sets.map(({ id, name }) => ({ value: id, label: name }))}
            value={setId}
            onChange={(event) => setSetId(event.target.value)}
          />
        </Field>
        <div className={style.two}>
          <Field label="Least match" hint="0 to 1">
            <Input inputMode="decimal" value={match} onChange={(event) => setMatch(event.target.value)} />
          </Field>
          <Field label="Highest cost" hint="USD, or empty">
            <Input inputMode="decimal" value={cost} onChange={(event) => setCost(event.target.value)} />
          </Field>
        </div>
        {save.error && <Problem>{messageOf(save.error)}</Problem>}
        <div className={style.actions}>
          {replay_gate && (
            <Button kind="no" isBusy={save.isPending} unable={unable('evals:write')} onClick={() => save.mutate(null)}>
              Remove the gate
            </Button>
          )}
          <Button type="submit" isBusy={save.isPending} unable={cannot}>
            {replay_gate ? 'Change the gate' : 'Set a gate'}
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
    <Card title="Went live past the replay gate">
      <ul className={style.forced}>
        {forced_promotions.map(({ id, build_id, reason, match, min_match, forced_by, created_at }) => (
          <li key={id}>
            <p>
              Build {numberOf(build_id) ?? '?'} by {nameOf(forced_by)}, <Time at={created_at} />:{' '}
              {match === null ? 'no replay' : `match ${match.toFixed(2)}`} of {min_match.toFixed(2)}
            </p>
            <q>{reason}</q>
          </li>
        ))}
      </ul>
    </Card>
  )
}
