// One replay: how far it is and what it showed; opened, its runs with what differs in each.
import type { ListedReplayRun, Replay } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { count, counted, duration, money } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Field, Select } from '../../../parts/Field.tsx'
import { Progress } from '../../../parts/Progress.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toastError } from '../../../parts/toasts.tsx'
import { buildsQuery } from '../../../queries/agents.ts'
import { replayRunsQuery, replaySetsQuery, replaysQuery, type ShownVerdict } from '../../../queries/replays.ts'
import tab from '../tab.module.css'
import { ReplayedRun } from './ReplayedRun.tsx'
import style from './ReplayTab.module.css'

const route = getRouteApi('/frame/agents/$agentId')

export function ReplayRow({ agentId, replay, isOpen }: { agentId: string; replay: Replay; isOpen: boolean }) {
  const navigate = route.useNavigate()
  const builds = useQuery(buildsQuery(agentId))
  const sets = useQuery(replaySetsQuery(agentId))
  const set = sets.data?.find(({ id }) => id === replay.replay_set_id)
  const number = builds.data?.builds.find(({ id }) => id === replay.build_id)?.revision_number
  const toggle = () =>
    void navigate({ search: (now) => ({ ...now, replay: isOpen ? undefined : replay.id }), replace: true })
  return (
    <li className={tab.row}>
      <div className={tab.line}>
        <button type="button" className={tab.open} aria-expanded={isOpen} onClick={toggle}>
          Build {number ?? '?'}
        </button>
        {set && <span className="dim">against {set.name}</span>}
        <span className={tab.gap} />
        <span className="dim small">
          <Time at={replay.created_at} />
        </span>
        <Tag {...toneOf(replay)}>{replay.match === null ? replay.state : `match ${replay.match.toFixed(2)}`}</Tag>
      </div>
      {replay.state === 'running' ? <Running agentId={agentId} replay={replay} /> : <Facts replay={replay} />}
      {isOpen && <Runs replay={replay} />}
    </li>
  )
}

const toneOf = ({ state, runs, runs_same }: Replay): { tone?: 'pass' | 'wait' } =>
  state !== 'completed' ? {} : { tone: runs_same === runs ? 'pass' : 'wait' }

function Running({ agentId, replay }: { agentId: string; replay: Replay }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => runyard.replays.cancel(replay.id),
    onSettled: () => void queries.invalidateQueries({ queryKey: replaysQuery(agentId).queryKey }),
    onError: (error) => toastError('The replay was not cancelled', error),
  })
  return (
    <Progress title="Replaying" state="running" done={replay.runs_done} total={replay.runs}>
      <Button kind="quiet" isBusy={cancel.isPending} unable={unable('evals:write')} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
    </Progress>
  )
}

function Facts({ replay }: { replay: Replay }) {
  const { runs, runs_same, runs_changed, runs_not_replayed, recorded_score, score, unsettled_calls } = replay
  // a runbook needs no model
  const asksModels = replay.recorded_model_ms > 0 || replay.model_ms > 0
  return (
    <p className={tab.why}>
      {counted(runs, 'run')}: {count(runs_same)} the same, {count(runs_changed)} changed, {count(runs_not_replayed)} not
      replayed. Score {share(recorded_score)} → {share(score)}
      {asksModels &&
        `, cost ${money(Number(replay.recorded_cost_usd))} → ${money(Number(replay.cost_usd))}, model time ${duration(replay.recorded_model_ms)} → ${duration(replay.model_ms)}`}
      .
      {unsettled_calls > 0 &&
        ` ${counted(unsettled_calls, 'model call')} were cut off and may have been paid for twice.`}
    </p>
  )
}

const share = (value: number | null): string => (value === null ? 'unknown' : value.toFixed(2))

function Runs({ replay }: { replay: Replay }) {
  // what differs comes first: of a thousand runs only a few may
  const [verdict, setVerdict] = useState<ShownVerdict>(replay.runs_changed > 0 ? 'changed' : 'all')
  const runs = useQuery(replayRunsQuery(replay.id, replay.state === 'running', verdict))
  const [open, setOpen] = useState<string>()
  return (
    <Shown query={runs} what="runs of the replay">
      {({ replay_runs, total }) => (
        <>
          <div className={style.verdicts}>
            <Field label="Show">
              <Select
                options={shown}
                value={verdict}
                onChange={(event) => setVerdict(event.target.value as ShownVerdict)}
              />
            </Field>
          </div>
          {replay_runs.length === 0 && <p className={tab.why}>No run of this replay is like that.</p>}
          <ul className={style.runs} aria-label="Runs of the replay">
            {replay_runs.map((run: ListedReplayRun) => (
              <li key={run.id}>
                <div className={tab.line}>
                  <button
                    type="button"
                    className={tab.open}
                    aria-expanded={run.id === open}
                    onClick={() => setOpen(run.id === open ? undefined : run.id)}
                  >
                    <span className="dim">{run.run_number}</span> {run.run_title || 'deleted run'}
                  </button>
                  <span className={tab.gap} />
                  {run.findings > 0 && <span className="dim">{counted(run.findings, 'finding')}</span>}
                  <Tag {...runTone(run)}>{wordsOf(run)}</Tag>
                </div>
                {run.reason !== null && <p className={tab.why}>{run.reason}</p>}
                {run.id === open && <ReplayedRun replayRunId={run.id} />}
              </li>
            ))}
          </ul>
          {total > replay_runs.length && (
            <p className={tab.why}>
              The first {replay_runs.length} of {count(total)}.
            </p>
          )}
        </>
      )}
    </Shown>
  )
}

const shown: { value: ShownVerdict; label: string }[] = [
  { value: 'all', label: 'all runs' },
  { value: 'changed', label: 'runs that changed' },
  { value: 'not_replayed', label: 'runs that were not replayed' },
  { value: 'same', label: 'runs that are the same' },
]

const wordsOf = ({ verdict, match }: ListedReplayRun): string =>
  verdict === null
    ? 'waits'
    : verdict === 'not_replayed'
      ? 'not replayed'
      : verdict === 'same'
        ? 'same'
        : `changed, match ${match?.toFixed(2)}`

const runTone = ({ verdict }: ListedReplayRun): { tone?: 'pass' | 'wait' | 'fail' } =>
  verdict === null ? {} : { tone: verdict === 'same' ? 'pass' : verdict === 'changed' ? 'wait' : 'fail' }
