// One long work at the foot of every screen: how far it is, what failed, and how to stop it.
import { useEffect, useState } from 'react'
import { Button } from '../parts/Button.tsx'
import { Dialog } from '../parts/Dialog.tsx'
import { Progress } from '../parts/Progress.tsx'
import { toastError } from '../parts/toasts.tsx'
import { useNow } from '../parts/Time.tsx'
import type { WorkKind } from './longWork.ts'
import { continueWork, dismissWork, saveWorkFile, stopWork } from './work.ts'
import style from './WorkDock.module.css'
import { paceOf, type Work } from './workRecord.ts'

/** Work without a failure leaves by itself. */
const leavesAfterMs = 8000

export default function WorkRow({ work, kind }: { work: Work; kind: WorkKind | undefined }) {
  const now = useNow()
  const [isListing, setListing] = useState(false)
  const { id, state, done, failed, total, problems, waits } = work
  const isQuiet = state === 'ended' && failed === 0 && !kind?.file
  useEffect(() => {
    if (!isQuiet) return undefined
    const timer = setTimeout(() => dismissWork(id), leavesAfterMs)
    return () => clearTimeout(timer)
  }, [id, isQuiet])
  if (!kind) return null
  const { perSecond, leftMs } = paceOf(work, now)
  const { file } = kind
  return (
    <>
      <Progress
        title={state === 'ended' ? kind.done(done) : kind.doing}
        state={state}
        done={done}
        failed={failed}
        total={total}
        perSecond={perSecond}
        leftMs={leftMs}
        waits={waits}
      >
        {problems.length > 0 && (
          <Button kind="quiet" onClick={() => setListing(true)}>
            What failed
          </Button>
        )}
        {state === 'ended' && file && (
          <Button
            icon="download"
            onClick={() => {
              saveWorkFile(id, file).catch((error: unknown) => toastError('The file could not be saved', error))
            }}
          >
            Save
          </Button>
        )}
        {state === 'running' && (
          <Button icon="stop" onClick={() => stopWork(id)}>
            Stop
          </Button>
        )}
        {state === 'stopped' && (
          <Button icon="play" onClick={() => continueWork(id)}>
            Go on
          </Button>
        )}
        {state !== 'running' && (
          <Button kind="quiet" icon="cross" aria-label={`Close: ${kind.doing}`} onClick={() => dismissWork(id)} />
        )}
      </Progress>
      <Dialog isOpen={isListing} onClose={() => setListing(false)} title={`${kind.doing}: what failed`}>
        <ul className={style.problems}>
          {problems.map(({ item, says }, at) => (
            <li key={at}>
              {says} {item !== '' && <code className="dim">{item}</code>}
            </li>
          ))}
          {failed > problems.length && <li className="dim">and {failed - problems.length} more</li>}
        </ul>
      </Dialog>
    </>
  )
}
