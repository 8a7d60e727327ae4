// What the gate before a promotion says about a build.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../../app/session.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { counted } from '../../../parts/amounts.ts'
import { classes } from '../../../look/classes.ts'
import { buildScoresQuery, gateQuery } from '../../../queries/agents.ts'
import style from './Gate.module.css'

export interface GateState {
  /** Undefined: not known yet, or nobody may know. */
  needed: { score: number; runs: number } | null | undefined
  score: number | null
  evaluatedRuns: number
  isClosed: boolean
}

export function useGate(agentId: string, buildId: string | undefined): GateState {
  const { unable } = useSession()
  const enabled = unable('evals:read') === undefined
  const gate = useQuery({ ...gateQuery(agentId), enabled })
  const scores = useQuery({ ...buildScoresQuery(agentId), enabled })
  const found = scores.data?.find((one) => one.build_id === buildId)
  const set = gate.data?.promotion_gate
  const needed = set === null ? null : set && { score: set.min_score, runs: set.last_runs }
  const score = found?.score ?? null
  const evaluatedRuns = found?.evaluated_runs ?? 0
  const isClosed = !!needed && (evaluatedRuns < needed.runs || (score ?? 0) < needed.score)
  return { needed, score, evaluatedRuns, isClosed }
}

export function GatePill({ gate }: { gate: GateState }) {
  if (!gate.needed) return null
  return (
    <span className={classes(style.pill, gate.isClosed ? style.closed : style.passed)}>
      <StatusShape shape={gate.isClosed ? 'failed' : 'pass'} size={14} />
      {gate.isClosed ? 'Gate closed' : 'Gate passed'}
    </span>
  )
}

export function Gate({ gate }: { gate: GateState; agentId: string; buildId: string }) {
  const { needed, score, evaluatedRuns } = gate
  return (
    <div className={style.gate}>
      <div className={style.score}>
        <b>{score === null ? 'No score' : score.toFixed(2)}</b>
        {needed && <span>needed {needed.score.toFixed(2)}</span>}
      </div>
      <p className={style.words}>
        {evaluatedRuns === 0
          ? 'No run of this build has been evaluated yet.'
          : `Of the last ${counted(evaluatedRuns, 'evaluated run')}.`}{' '}
        {needed === null && 'There is no gate: every build may go live.'}
        {needed && evaluatedRuns < needed.runs && `The gate wants ${needed.runs}.`}
      </p>
    </div>
  )
}
