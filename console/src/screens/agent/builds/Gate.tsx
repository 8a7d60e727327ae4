// What the gate before a promotion says about a build.
import type { PromotionPreview } from '@runyard/sdk'
import { classes } from '../../../look/classes.ts'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { counted } from '../../../parts/amounts.ts'
import style from './Gate.module.css'

type GateState = NonNullable<PromotionPreview['gate']>

export function GatePill({ gate }: { gate: PromotionPreview['gate'] | undefined }) {
  if (!gate) return null
  return (
    <span className={classes(style.pill, gate.is_open ? style.passed : style.closed)}>
      <StatusShape shape={gate.is_open ? 'pass' : 'failed'} size={14} />
      {gate.is_open ? 'Gate passed' : 'Gate closed'}
    </span>
  )
}

export function Gate({ gate }: { gate: PromotionPreview['gate'] }) {
  if (!gate) return <p className={style.none}>There is no gate: every build may go live.</p>
  const { score, min_score } = gate
  return (
    <div className={style.gate}>
      <div className={style.score}>
        <b>{score === null ? 'No score' : score.toFixed(2)}</b>
        <span>needed {min_score.toFixed(2)}</span>
      </div>
      <p className={style.words}>{gateWords(gate)}</p>
    </div>
  )
}

/** Why it is open or closed, and what opens it. */
function gateWords({ score, min_score, evaluated_runs, last_runs, is_open }: GateState): string {
  const runs = counted(evaluated_runs, 'evaluated run')
  if (is_open) return `The last ${runs} of this build score enough.`
  const missing = last_runs - evaluated_runs
  const times = missing === 1 ? 'once' : `${missing} times`
  if (evaluated_runs === 0)
    return `No run of this build has been evaluated yet: the gate wants ${last_runs}. Run it ${times}.`
  if (missing > 0) return `This build has ${runs}: the gate wants ${last_runs}. Run it ${times} more.`
  return `The last ${runs} score ${(score ?? 0).toFixed(2)}: the gate wants ${min_score.toFixed(2)}. Improve the build and run it again.`
}
