// What the gates before a promotion say about a build.
import type { PromotionPreview } from '@runyard/sdk'
import { classes } from '../../../look/classes.ts'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { counted } from '../../../parts/amounts.ts'
import style from './Gate.module.css'

type GateState = NonNullable<PromotionPreview['gate']>

/** One word for all gates that the agent has. */
export function GatePill({ gates }: { gates: ({ is_open: boolean } | null | undefined)[] }) {
  const there = gates.filter((gate) => gate !== null && gate !== undefined)
  if (there.length === 0) return null
  const isOpen = there.every(({ is_open }) => is_open)
  return (
    <span className={classes(style.pill, isOpen ? style.passed : style.closed)}>
      <StatusShape shape={isOpen ? 'pass' : 'failed'} size={14} />
      {isOpen ? 'Gate passed' : 'Gate closed'}
    </span>
  )
}

export function Gate({ gate }: { gate: PromotionPreview['gate'] }) {
  if (!gate) return <p className={style.none}>There is no gate: every build may go live.</p>
  const { score, min_score } = gate
  const has = score === null ? 'No score' : score.toFixed(2)
  return <Figures has={has} needs={`needed ${min_score.toFixed(2)}`} words={gateWords(gate)} />
}

const Figures = ({ has, needs, words }: { has: string; needs: string; words: string }) => (
  <div className={style.gate}>
    <div className={style.score}>
      <b>{has}</b>
      <span>{needs}</span>
    </div>
    <p className={style.words}>{words}</p>
  </div>
)

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

/** What the replay gate says, where the agent has one. */
export function ReplayGate({ gate }: { gate: PromotionPreview['replay_gate'] }) {
  if (!gate) return null
  const { match, min_match } = gate
  const has = match === null ? 'No replay' : match.toFixed(2)
  return <Figures has={has} needs={`match needed ${min_match.toFixed(2)}`} words={replayWords(gate)} />
}

function replayWords({ match, max_cost_usd, is_open }: NonNullable<PromotionPreview['replay_gate']>): string {
  if (match === null) return 'This build, as it is now, was not replayed against the set of the gate yet. Replay it.'
  if (is_open) return 'The latest replay of this build matches enough.'
  const cost = max_cost_usd === null ? '' : ` or cost more than ${max_cost_usd} USD`
  return `The latest replay of this build matches too little${cost}. See what differs, and replay it again.`
}
