// How an ended run ended: its output, or what went wrong, where, and what can be done about it.
import type { GetRunAnswer } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { classes } from '../../../look/classes.ts'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { Json } from '../../../parts/Json.tsx'
import { Markdown } from '../../../parts/Markdown.tsx'
import { shapeOf, statusWord } from '../../../parts/Status.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { sourceWords } from '../../runs/words.ts'
import { useRunAddress } from '../address.ts'
import { adviceFor } from './advice.ts'
import style from './Outcome.module.css'

type Run = GetRunAnswer['run']

export function Outcome({ run }: { run: Run }) {
  return (
    <section className={classes('card', style.outcome, run.status === 'failed' && style.failed)} aria-label="Outcome">
      <header>
        <StatusShape shape={shapeOf(run)} />
        <h2>{statusWord(run.status)}</h2>
        {run.completed_at !== null && (
          <span className="dim small">
            <Time at={run.completed_at} />
          </span>
        )}
      </header>
      {run.error && <Problem run={run} error={run.error} />}
      {run.output !== null && <Value value={run.output} />}
      {run.output === null && !run.error && (
        <p className="dim">
          {run.status === 'stopped' ? 'It was stopped before it had an output.' : 'It has no output.'}
        </p>
      )}
    </section>
  )
}

function Problem({ run, error }: { run: Run; error: NonNullable<Run['error']> }) {
  const { linkTo } = useRunAddress()
  const advice = adviceFor(error.code, run.source)
  return (
    <div className={style.problem}>
      <p>{visible(error.message)}</p>
      <p className="small">
        <code>{error.code}</code>
        {error.step !== null && (
          <Link className="link" {...linkTo({ tab: undefined, step: error.step })}>
            step {error.step}
          </Link>
        )}
      </p>
      {advice !== undefined && <p className="sub">{advice}</p>}
    </div>
  )
}

/** What started the run. */
export function Input({ run }: { run: Run }) {
  if (run.message === null) return null
  return (
    <section className={classes('card', style.outcome)} aria-label="Input">
      <header>
        <h2>Input</h2>
        <span className="dim small">
          {sourceWords[run.source]} · <Time at={run.created_at} />
        </span>
      </header>
      <Value value={run.message} />
    </section>
  )
}

function Value({ value }: { value: unknown }) {
  return typeof value === 'string' ? (
    <div className={style.text}>
      <Markdown text={value} />
    </div>
  ) : (
    <Json value={value} rows={60} />
  )
}
