// Two steps beside each other: what differs in their arguments and in their results.
import type { GetRunAnswer, WholeRunStep } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Diff } from '../../../parts/Diff.tsx'
import { Json } from '../../../parts/Json.tsx'
import { Failed, Skeleton } from '../../../parts/states.tsx'
import { runStepQuery } from '../../../queries/run.ts'
import type { Pair } from './align.ts'
import style from './StepDifference.module.css'

type Run = GetRunAnswer['run']

interface StepDifferenceProps {
  pair: Pair
  leftRun: Run
  rightRun: Run
  onClose: () => void
}

export function StepDifference({ pair, leftRun, rightRun, onClose }: StepDifferenceProps) {
  const { left, right } = pair
  const leftStep = useQuery({ ...runStepQuery(leftRun.id, left?.seq ?? 0), enabled: left !== undefined })
  const rightStep = useQuery({ ...runStepQuery(rightRun.id, right?.seq ?? 0), enabled: right !== undefined })
  const error = leftStep.error ?? rightStep.error
  const isLoaded = (!left || leftStep.data) && (!right || rightStep.data)
  return (
    <Dialog isOpen onClose={onClose} width="wide" title={left?.name ?? right?.name ?? 'Step'}>
      {error ? (
        <Failed
          error={error}
          onRetry={() => {
            void leftStep.refetch()
            void rightStep.refetch()
          }}
        />
      ) : !isLoaded ? (
        <Skeleton what="both steps" rows={6} />
      ) : (
        <div className={style.parts}>
          {[
            { name: 'Arguments', of: (step: WholeRunStep) => step.arguments },
            { name: 'Result', of: (step: WholeRunStep) => step.error ?? step.result },
          ].map(({ name, of }) => (
            <Part
              key={name}
              name={name}
              label={`${name} of step ${left?.seq ?? '–'} and step ${right?.seq ?? '–'}`}
              left={leftStep.data && of(leftStep.data)}
              right={rightStep.data && of(rightStep.data)}
            />
          ))}
        </div>
      )}
    </Dialog>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))

/** A value is undefined where only the other run has the step. */
function Part({ name, label, left, right }: { name: string; label: string; left: unknown; right: unknown }) {
  return (
    <section>
      <h3 className="caption">{name}</h3>
      {left === undefined || right === undefined ? (
        <Json value={left ?? right ?? null} rows={60} />
      ) : (
        <Diff before={textOf(left)} after={textOf(right)} language="json" label={label} mode="split" />
      )}
    </section>
  )
}
