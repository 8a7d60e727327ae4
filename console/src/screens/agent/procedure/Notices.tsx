// What somebody who types must know: text found again, a draft that somebody else changed, a builder at work, a save that fails.
import { useState, type ReactNode } from 'react'
import { messageOf } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { StatusShape, type Shape } from '../../../look/StatusShape.tsx'
import { Icon } from '../../../look/Icon.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { AgentLink } from '../AgentLink.tsx'
import { isInMessages, procedureOf } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import style from './Notices.module.css'
import { TwoTexts } from './TwoTexts.tsx'

export function Notices({ isBuilderActive }: { isBuilderActive: boolean }) {
  const { working, copy } = useDraft()
  const { unable } = useSession()
  const [isComparing, setComparing] = useState(false)
  const { phase, theirs, restoredFrom, error, base, config, isKept } = working

  if (phase === 'conflict' && theirs) {
    const keep = () =>
      void copy.keepMine().then(
        ({ revision_number }) => toast(`Your text is draft ${revision_number} now`),
        (failure: unknown) => toastError('Your text is still only in this browser', failure),
      )
    return (
      <Notice shape="failed">
        <p>
          <b>Somebody else changed this draft</b> <Time at={theirs.updated_at} />. Nothing of yours is lost: choose
          which text counts.
        </p>
        <div className={style.actions}>
          <Button onClick={keep}>Keep mine as a new draft</Button>
          <Button onClick={() => copy.takeTheirs()}>Take theirs</Button>
          <Button kind="quiet" icon="diff" onClick={() => setComparing(true)}>
            What differs
          </Button>
        </div>
        {isComparing && (
          <TwoTexts
            title="Theirs, and yours"
            before={procedureOf(theirs.config)}
            after={procedureOf(config)}
            onClose={() => setComparing(false)}
          />
        )}
      </Notice>
    )
  }
  if (unable('agents:write') !== undefined)
    return (
      <Notice icon="lock">
        <p>You can read this but not change it: your role lacks the scope agents:write.</p>
      </Notice>
    )
  if (isBuilderActive)
    return (
      <Notice shape="wait">
        <p>
          The builder works on this draft, so nobody else can change it.{' '}
          <AgentLink className="link" change={{ panel: 'builder' }}>
            See what it does
          </AgentLink>
        </p>
      </Notice>
    )
  if (phase === 'failed')
    return (
      <Notice shape="failed">
        <p>
          <b>Not saved.</b> {messageOf(error)}{' '}
          {isKept ? 'What you typed is kept in this browser.' : 'This browser keeps no copy: do not leave this page.'}
        </p>
        <div className={style.actions}>
          <Button
            onClick={() => void copy.saveNow().catch((failure: unknown) => toastError('Still not saved', failure))}
          >
            Save again
          </Button>
        </div>
      </Notice>
    )
  if (restoredFrom !== undefined && (phase === 'typing' || phase === 'held'))
    return (
      <Notice icon="info">
        <p>
          This is what you typed <Time at={restoredFrom} />; it had not been saved.
        </p>
        <div className={style.actions}>
          <Button kind="quiet" onClick={() => copy.revert()}>
            Go back to what is saved
          </Button>
        </div>
      </Notice>
    )
  if (isInMessages(base.config))
    return (
      <Notice icon="info">
        <p>This procedure is a list of messages. As soon as you change it here, it becomes one text.</p>
      </Notice>
    )
  return null
}

function Notice({ shape, icon, children }: { shape?: Shape; icon?: 'info' | 'lock'; children: ReactNode }) {
  return (
    <div className={style.notice} role="status">
      {shape ? <StatusShape shape={shape} /> : icon && <Icon name={icon} />}
      <div className={style.words}>{children}</div>
    </div>
  )
}
