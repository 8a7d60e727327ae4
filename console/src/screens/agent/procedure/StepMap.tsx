// The steps of a procedure in their order, with what happens to each when a worker dies during it.
import type { ProcedureProblem, ProcedureStep } from '@runyard/sdk'
import { useMemo } from 'react'
import { Icon, type IconName } from '../../../look/Icon.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { classes } from '../../../look/classes.ts'
import { count } from '../../../parts/amounts.ts'
import { blockAt, findBlocks } from '../editor/blocks.ts'
import { afterCrash, stepWords } from './stepWords.ts'
import style from './StepMap.module.css'

interface StepMapProps {
  text: string
  steps: readonly ProcedureStep[]
  total: number
  problems: readonly ProcedureProblem[]
  onGoTo: (line: number) => void
}

const icons: Record<ProcedureStep['kind'], IconName> = {
  agent: 'subrun',
  approve: 'user',
  ask: 'message',
  bash: 'sandboxes',
  browser: 'browser',
  case: 'queues',
  file: 'file',
  html: 'artifacts',
  http: 'connections',
  js: 'sandboxes',
  memory: 'book',
  output: 'out',
  python: 'sandboxes',
  tool: 'tool',
  wait: 'clock',
}

export function StepMap({ text, steps, total, problems, onGoTo }: StepMapProps) {
  const lines = useMemo(() => text.split('\n'), [text])
  const blocks = useMemo(() => findBlocks(lines), [lines])
  const errorsOf = (step: ProcedureStep) => {
    const block = blockAt(blocks, step.line)
    return problems.filter(
      ({ line, severity }) => severity === 'error' && line >= step.line && line <= (block?.closeLine ?? step.line),
    )
  }
  return (
    <section className={style.map} aria-label="Steps">
      <header className={style.head}>
        <b>Steps</b>
        <span className={style.legend}>after a crash</span>
      </header>
      {steps.length === 0 ? (
        <p className={style.nothing}>
          No steps yet. A fenced block is a step, such as <code>```http</code>: type three backticks to choose one. Text
          alone is followed by a model, where the agent has one.
        </p>
      ) : (
        <ol className={style.steps}>
          {steps.map((step) => {
            const [error] = errorsOf(step)
            const crash = afterCrash(step)
            const isHuman = step.kind === 'approve' || step.kind === 'ask'
            return (
              <li key={step.id} className={classes(error && style.bad)}>
                <button type="button" className={style.step} onClick={() => onGoTo(error?.line ?? step.line)}>
                  <span className={classes(style.node, isHuman && style.human)}>
                    {isHuman ? <StatusShape shape="human" /> : <Icon name={icons[step.kind]} size={14} />}
                  </span>
                  <span className={style.words}>
                    <b className="cut">{step.id}</b>
                    <small className="cut">{stepWords(step, lines)}</small>
                  </span>
                  {crash && (
                    <span className={classes(style.after, crash.asks && style.asks)} title={crash.says}>
                      {crash.word}
                    </span>
                  )}
                </button>
                {error && (
                  <p className={style.error}>
                    <StatusShape shape="failed" size={13} />
                    <span>{error.message}</span>
                  </p>
                )}
              </li>
            )
          })}
        </ol>
      )}
      {total > steps.length && steps.length > 0 && (
        <p className={style.nothing}>and {count(total - steps.length)} more</p>
      )}
      {steps.length > 0 && (
        <p className={style.note}>
          A step with a result is never made again. Where the outcome of a call is unknown, the last column says what
          happens.
        </p>
      )}
    </section>
  )
}
