// Replays of an agent's builds against recorded runs: the sets, a start, how far each is, and what differs.
import type { Replay, ReplaySet } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Field, Input, Select } from '../../../parts/Field.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { buildsQuery } from '../../../queries/agents.ts'
import { replaySetsQuery, replaysQuery } from '../../../queries/replays.ts'
import type { TabProps } from '../AgentScreen.tsx'
import { buildTitle } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import { FormCard } from '../FormCard.tsx'
import tab from '../tab.module.css'
import { isAmount } from '../../../parts/isAmount.ts'
import { RecordRuns } from './RecordRuns.tsx'
import { ReplayGateCard } from './ReplayGateCard.tsx'
import { ReplayRow } from './ReplayRow.tsx'
import { ReplaySets } from './ReplaySets.tsx'

const route = getRouteApi('/frame/agents/$agentId')

export default function ReplayTab({ agent }: TabProps) {
  const { unable } = useSession()
  const { replay: open } = route.useSearch()
  const replays = useQuery(replaysQuery(agent.id))
  const sets = useQuery(replaySetsQuery(agent.id))
  const [isRecording, setRecording] = useState(false)
  return (
    <div className={tab.columns}>
      <div className={tab.page}>
        <header className={tab.head}>
          <h2>Replays</h2>
          <p>The model decides, the record answers. Nothing outside is called.</p>
          <span className={tab.gap} />
          <CopyAs operation="listReplays" params={{ agent_id: agent.id }} />
          <Button icon="plus" unable={unable('evals:write')} onClick={() => setRecording(true)}>
            Record runs
          </Button>
        </header>
        <Shown query={replays} what="replays">
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon="retry" title="No build was replayed yet">
                Record runs of this agent, and replay a build against them before it goes live.
              </Empty>
            ) : (
              <ul className={tab.rows}>
                {rows.map((replay: Replay) => (
                  <ReplayRow key={replay.id} agentId={agent.id} replay={replay} isOpen={replay.id === open} />
                ))}
              </ul>
            )
          }
        </Shown>
      </div>
      <aside className={tab.aside} aria-label="Replay a build">
        <Shown query={sets} what="replay sets" rows={4}>
          {(all) => (
            <>
              <StartCard key={all.length} agentId={agent.id} sets={all} />
              <ReplaySets agentId={agent.id} sets={all} />
              <ReplayGateCard agentId={agent.id} sets={all} />
            </>
          )}
        </Shown>
      </aside>
      {isRecording && <RecordRuns agentId={agent.id} sets={sets.data ?? []} onClose={() => setRecording(false)} />}
    </div>
  )
}

function StartCard({ agentId, sets }: { agentId: string; sets: ReplaySet[] }) {
  const { unable } = useSession()
  const { working } = useDraft()
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  const builds = useQuery(buildsQuery(agentId))
  const [setId, setSetId] = useState(sets[0]?.id ?? '')
  const [buildId, setBuildId] = useState(working.base.id)
  const [cost, setCost] = useState('')
  const start = useMutation({
    mutationFn: () =>
      runyard.replays.start(setId, { build_id: buildId, ...(cost.trim() !== '' && { max_cost_usd: cost.trim() }) }),
    onSuccess({ replay_id }) {
      void queries.invalidateQueries({ queryKey: replaysQuery(agentId).queryKey })
      void navigate({ search: (now) => ({ ...now, replay: replay_id }), replace: true })
      toast('The replay has begun')
    },
    onError: (error) => toastError('The replay has not begun', error),
  })
  const set = sets.find(({ id }) => id === setId)
  const cannot =
    unable('evals:write') ??
    (!set || set.recordings === 0
      ? 'Record runs first: the set has none.'
      : cost.trim() !== '' && !isAmount(cost.trim())
        ? 'The cost is an amount, such as 2.50.'
        : undefined)
  return (
    <FormCard
      title="Replay a build"
      facts={set && counted(set.recordings, 'recorded run')}
      verb="Replay"
      kind="go"
      icon="play"
      unable={cannot}
      isBusy={start.isPending}
      error={start.error}
      onSend={() => start.mutate()}
    >
      <Field label="Replay set">
        <Select
          options={sets.map(({ id, name }) => ({ value: id, label: name }))}
          value={setId}
          onChange={(event) => setSetId(event.target.value)}
        />
      </Field>
      <Field label="Build">
        <Select
          options={(builds.data?.builds ?? []).map((build) => ({
            value: build.id,
            label: `${build.revision_number} ${buildTitle(build)}${build.status === 'live' ? ' (live)' : ''}`,
          }))}
          value={buildId}
          onChange={(event) => setBuildId(event.target.value)}
        />
      </Field>
      <Field label="Model calls may cost" hint="USD; a runbook needs no model">
        <Input inputMode="decimal" value={cost} onChange={(event) => setCost(event.target.value)} />
      </Field>
    </FormCard>
  )
}
