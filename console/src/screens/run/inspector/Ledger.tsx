// The ledger's truth about a step: what happened to it, moment by moment, and what a crash would do to it now.
import type { StepMoment, WholeRunStep } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { useSetting, zoneOf } from '../../../app/settings.ts'
import { classes } from '../../../look/classes.ts'
import { Icon } from '../../../look/Icon.tsx'
import { exactTime } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { afterCrashOf, titleOfMoment, toneOf } from './ledgerWords.ts'
import style from './Ledger.module.css'

export function Ledger({ step }: { step: WholeRunStep }) {
  const after = afterCrashOf(step)
  return (
    <>
      {step.moments.length === 0 ? (
        <p className={style.nothing}>Only its start and its end were recorded.</p>
      ) : (
        <ol className={style.ledger}>
          {step.moments.map((moment, at) => (
            <Moment key={at} moment={moment} />
          ))}
        </ol>
      )}
      {after !== undefined && (
        <p className={style.after}>
          <Icon name="retry" size={14} />
          <span>
            <b>After a crash:</b> {after}
          </span>
        </p>
      )}
    </>
  )
}

function Moment({ moment }: { moment: StepMoment }) {
  const timeZone = zoneOf(useSetting('zone'))
  const { at, says, key, worker, comment, from } = moment
  return (
    <li className={classes(style.moment, style[toneOf(moment)])}>
      <i aria-hidden />
      <b>{visible(titleOfMoment(moment))}</b>
      <time dateTime={at} title={exactTime(at, timeZone)}>
        {preciseTime(at, timeZone)}
      </time>
      <p>
        {visible(says)}
        {key !== undefined && (
          <>
            {' '}
            Key <code title={key}>…{key.slice(-12)}</code>.
          </>
        )}
        {worker && worker.pid !== null && (
          <>
            {' '}
            Process {worker.pid}
            {worker.host !== null && ` on ${worker.host}`}.
          </>
        )}
        {from && (
          <>
            {' '}
            <Link className="link" to="/runs/$runId" params={{ runId: from.run_id }} search={{ step: from.step }}>
              step {from.step} of that run
            </Link>
          </>
        )}
      </p>
      {comment !== undefined && <blockquote>“{visible(comment)}”</blockquote>}
    </li>
  )
}

/** `01:11:32.114`: what happens within a second is told apart. */
const preciseTime = (iso: string, timeZone: string): string =>
  new Date(iso).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZone,
  })
