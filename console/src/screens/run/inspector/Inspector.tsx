// The selected step: what it is, what the ledger has of it, its arguments and result, and what can be done from here.
import type { GetRunAnswer, WholeRunStep } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useKeys } from '../../../app/keys.ts'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { count, counted, duration, money } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { useCopied } from '../../../parts/CopyText.tsx'
import { Json } from '../../../parts/Json.tsx'
import { Markdown } from '../../../parts/Markdown.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Tabs } from '../../../parts/Tabs.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { runStepQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'
import { RetryDialog } from '../header/RetryDialog.tsx'
import { stepTabs, type StepTab } from '../search.ts'
import { Ledger } from './Ledger.tsx'
import { kindOf } from './ledgerWords.ts'
import style from './Inspector.module.css'

interface InspectorProps {
  run: GetRunAnswer['run']
  seq: number
  /** How many steps there are. */
  total: number
}

export function Inspector({ run, seq, total }: InspectorProps) {
  const { choose, search } = useRunAddress()
  const step = useQuery(runStepQuery(run.id, seq))
  const go = (to: number) => {
    if (to >= 1 && to <= total) choose({ step: to, picture: undefined })
  }
  useKeys([
    { keys: '[', says: 'Older step', where: 'Run', run: () => go(seq - 1) },
    { keys: ']', says: 'Newer step', where: 'Run', run: () => go(seq + 1) },
    { keys: 'Escape', says: 'Close the step', where: 'Run', run: () => choose({ step: undefined, detail: undefined }) },
  ])
  const open = search.detail ?? 'ledger'
  return (
    <section className={classes('card', style.inspector)} aria-label={`Step ${seq}`}>
      <Walk seq={seq} total={total} onGo={go} onClose={() => choose({ step: undefined, detail: undefined })} />
      <Shown query={step} what="the step" rows={5}>
        {(found) => (
          <>
            <Head step={found} />
            <div className={style.tabs}>
              <StepTabs open={open} />
            </div>
            <Content step={found} tab={open} />
            <Foot run={run} step={found} />
          </>
        )}
      </Shown>
    </section>
  )
}

interface WalkProps {
  seq: number
  total: number
  onGo: (step: number) => void
  onClose: () => void
}

function Walk({ seq, total, onGo, onClose }: WalkProps) {
  const [isCopied, copyIt] = useCopied()
  return (
    <div className={style.walk}>
      <span className="caption">
        Step {seq} of {count(Math.max(total, seq))}
      </span>
      <span className={style.gap} />
      <Button kind="quiet" aria-label="Older step" onClick={() => onGo(seq - 1)} keys={['[']}>
        Older
      </Button>
      <Button kind="quiet" aria-label="Newer step" onClick={() => onGo(seq + 1)}>
        <kbd aria-hidden>]</kbd> newer
      </Button>
      <Button
        kind="quiet"
        icon={isCopied ? 'check' : 'link'}
        aria-label={isCopied ? 'Copied' : 'Copy the link to this step'}
        title="Copy the link to this step"
        onClick={() => void copyIt(window.location.href)}
      />
      <Button kind="quiet" icon="cross" aria-label="Close the step" title="Close (Esc)" onClick={onClose} />
    </div>
  )
}

const words: Record<WholeRunStep['status'], string> = {
  done: 'done',
  failed: 'failed',
  cut_off: 'cut off',
  in_doubt: 'in doubt',
  running: 'running',
  waiting: 'waiting',
}

const toneOf = (status: WholeRunStep['status']) =>
  status === 'failed' || status === 'cut_off'
    ? 'fail'
    : status === 'in_doubt' || status === 'waiting'
      ? 'wait'
      : status === 'running'
        ? 'live'
        : undefined

function Head({ step }: { step: WholeRunStep }) {
  return (
    <header className={style.head}>
      <h2>
        {visible(step.title)} <span className="sub">{visible(step.detail ?? '')}</span>
      </h2>
      <p className={style.tags}>
        <span className="caption">
          {kindOf(step)}
          {step.kind === 'model' && step.name !== null ? `, ${step.name}` : step.turn > 0 ? `, turn ${step.turn}` : ''}
        </span>
        <Tag tone={toneOf(step.status)}>{words[step.status]}</Tag>
        {step.attempts > 1 && <Tag tone="wait">{step.attempts} attempts</Tag>}
        {step.duration_ms !== null && <Tag>{duration(step.duration_ms)}</Tag>}
        {step.waited_ms !== null && step.waited_ms > 0 && <Tag>waited {duration(step.waited_ms)}</Tag>}
        {step.tokens !== null && (
          <Tag title={`${count(step.tokens.input)} read, ${count(step.tokens.output)} written`}>
            {count(step.tokens.input + step.tokens.output)} tokens
          </Tag>
        )}
        {step.cost_usd !== null && step.cost_usd > 0 && <Tag>{money(step.cost_usd)}</Tag>}
      </p>
    </header>
  )
}

const tabNames: Record<StepTab, string> = { ledger: 'Ledger', arguments: 'Arguments', result: 'Result', raw: 'Raw' }

function StepTabs({ open }: { open: StepTab }) {
  const { linkTo } = useRunAddress()
  return (
    <Tabs
      label="Of this step"
      tabs={stepTabs.map((tab) => ({
        label: tabNames[tab],
        isOpen: tab === open,
        link: { ...linkTo({ detail: tab === 'ledger' ? undefined : tab }), replace: true },
      }))}
    />
  )
}

function Content({ step, tab }: { step: WholeRunStep; tab: StepTab }) {
  if (tab === 'arguments')
    return (
      <div className={style.whole}>
        {step.kind === 'model' && step.room === null ? (
          <p className="dim">
            A model is asked with the whole conversation. <Said />
          </p>
        ) : (
          <Json value={step.arguments} rows={300} />
        )}
      </div>
    )
  if (tab === 'result')
    return (
      <div className={style.whole}>
        <Result step={step} />
      </div>
    )
  if (tab === 'raw')
    return (
      <div className={style.whole}>
        <Json value={step} rows={300} />
      </div>
    )
  return (
    <>
      <Ledger step={step} />
      <div className={style.both}>
        {(step.kind !== 'model' || step.room !== null) && (
          <div>
            <span className="caption">{step.room === null ? 'Arguments' : 'What it made shorter'}</span>
            <Small label={step.room === null ? 'Arguments' : 'What it made shorter'}>
              <Json value={step.arguments} rows={14} hasTools={false} />
            </Small>
          </div>
        )}
        {(step.result !== null || step.error !== null) && (
          <div>
            <span className="caption">Result</span>
            <Small label="Result">
              {step.error === null ? <Notes step={step} rows={14} /> : <Problem text={step.error} />}
            </Small>
          </div>
        )}
      </div>
    </>
  )
}

function Small({ label, children }: { label: string; children: ReactNode }) {
  return (
    /* a long one scrolls, and a keyboard must reach its end */
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={style.small} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  )
}

function Result({ step }: { step: WholeRunStep }) {
  const { kind, result, error, status } = step
  if (error === null && result === null) {
    const isOpen = status === 'running' || status === 'waiting'
    return <p className="dim">{isOpen ? 'It is not there yet.' : kind === 'model' ? <Said /> : 'It has none.'}</p>
  }
  return (
    <>
      {error !== null && <Problem text={error} />}
      {typeof result === 'string' ? <Markdown text={result} /> : result !== null && <Notes step={step} rows={300} />}
    </>
  )
}

/** The notes of a folding are read as text; any other result is a value. */
function Notes({ step: { room, result }, rows }: { step: WholeRunStep; rows: number }) {
  const { says, notes } = (room === null ? {} : result) as { says?: unknown; notes?: unknown }
  if (typeof says !== 'string') return <Json value={result} rows={rows} hasTools={rows > 100} />
  return (
    <>
      <p>{visible(says)}.</p>
      {typeof notes === 'string' && (
        <div className={style.notes}>
          <Markdown text={notes} />
        </div>
      )}
    </>
  )
}

/** The words of a turn, and what it was asked with, are messages of the run. */
function Said() {
  const { linkTo } = useRunAddress()
  return (
    <Link className="link" {...linkTo({ tab: 'messages' })}>
      The messages have it.
    </Link>
  )
}

function Problem({ text }: { text: string }) {
  return <p className={style.problem}>{visible(text)}</p>
}

function Foot({ run, step }: { run: GetRunAnswer['run']; step: WholeRunStep }) {
  const { linkTo } = useRunAddress()
  const { unable } = useSession()
  const [isRetrying, setRetrying] = useState(false)
  const cannot = unable('runs:write') ?? step.retry.reason ?? undefined
  const { shown_files: files } = step
  return (
    <footer className={style.foot}>
      {files.length > 0 && (
        <span title={files.map(({ name }) => visible(name)).join('\n')}>
          {counted(files.length, 'file')} for models that see
        </span>
      )}
      {step.sub_run_id !== null && (
        <Link className="link" to="/runs/$runId" params={{ runId: step.sub_run_id }}>
          Open the run that it started
        </Link>
      )}
      {step.screenshots > 0 && (
        <Link className="link" {...linkTo({ tab: undefined, picture: undefined })}>
          {counted(step.screenshots, 'picture')}
        </Link>
      )}
      <Button icon="retry" unable={cannot} onClick={() => setRetrying(true)}>
        Retry from here…
      </Button>
      {isRetrying && <RetryDialog run={run} from={step.seq} onClose={() => setRetrying(false)} />}
    </footer>
  )
}
