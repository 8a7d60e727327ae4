// Where a request is answered: the comment and the buttons. A digit arms, Ctrl or ⌘ with Enter sends; a click does both.
import type { ReactNode, RefObject } from 'react'
import { keyCaps } from '../../app/keys.ts'
import { classes } from '../../look/classes.ts'
import { counted } from '../amounts.ts'
import { Button } from '../Button.tsx'
import { isOfCall } from './asked.ts'
import style from './Request.module.css'
import type { Answering } from './useAnswering.ts'

interface Props {
  answering: Answering
  comment: RefObject<HTMLInputElement | null>
  /** Whether another request opens when this one is answered. */
  hasNext?: boolean
}

/** Of the service. */
const commentMax = 10_000

export function AnswerBar({ answering, comment, hasNext = false }: Props) {
  const { request, unable, refusal, decision, draft, change, problems } = answering
  const wrong = Object.keys(problems).length
  const note =
    unable ??
    refusal ??
    (wrong > 0 ? `${counted(wrong, 'field')} to correct` : (armedWords(answering) ?? approvedWords(answering)))
  return (
    <div className={classes(style.bar, decision !== undefined && style.armed)}>
      <p
        className={classes(style.note, note === undefined && style.nothing, refusal !== undefined && style.bad)}
        role={refusal === undefined ? 'status' : 'alert'}
      >
        {note}
      </p>
      <input
        ref={comment}
        className={style.comment}
        aria-label={decision === 'reject' ? 'Reason' : 'Comment'}
        placeholder={decision === 'reject' ? 'Why not? The agent reads it' : commentHint(answering)}
        value={draft.comment}
        maxLength={commentMax}
        disabled={unable !== undefined}
        onChange={(event) => change({ ...draft, comment: event.target.value })}
        onKeyDown={(event) => {
          // the keys of the page are off while somebody types
          if (event.key !== 'Escape') return
          answering.decide(undefined)
          event.currentTarget.blur()
        }}
      />
      <div className={style.buttons}>
        {request.type === 'approval' ? (
          <Decisions answering={answering} comment={comment} />
        ) : (
          <Send answering={answering} hasNext={hasNext} />
        )}
      </div>
    </div>
  )
}

/** A yes to a call that waits is not read by the agent: the call was chosen before. */
const commentHint = ({ request }: Answering): string =>
  request.type === 'approval' && isOfCall(request)
    ? 'Comment; the agent reads it if you reject'
    : 'Comment, the agent reads it too'

const sendKeys = (): string[] => keyCaps('mod+Enter')

function armedWords({ decision }: Answering): ReactNode {
  if (decision === undefined) return undefined
  const keys = sendKeys().join(' ')
  return decision === 'approve' ? (
    <>
      Approve is chosen, not sent.<span className={style.withKeys}> {keys} sends it, Esc takes it back.</span>
    </>
  ) : (
    <>
      Reject is chosen, not sent. Say why if you like.<span className={style.withKeys}> {keys} sends it.</span>
    </>
  )
}

const approvedWords = ({ hasApproved }: Answering): string | undefined =>
  hasApproved ? 'You have approved this. Until somebody else does too, you can take it back or reject it.' : undefined

function Decisions({ answering, comment }: Pick<Props, 'answering' | 'comment'>) {
  const { decision, decide, send, isSending, unable, hasApproved, takeBack, isTakingBack } = answering
  if (decision === 'reject')
    return (
      <>
        <Button onClick={() => decide(undefined)} keys={keyCaps('Escape')}>
          Back
        </Button>
        <Button
          kind="no"
          icon="cross"
          isBusy={isSending}
          unable={unable}
          keys={sendKeys()}
          onClick={() => send('reject')}
        >
          Reject
        </Button>
      </>
    )
  return (
    <>
      <Button
        unable={unable}
        keys={['2']}
        onClick={() => {
          decide('reject')
          comment.current?.focus()
        }}
      >
        Reject…
      </Button>
      {hasApproved ? (
        <Button isBusy={isTakingBack} unable={unable} onClick={takeBack}>
          Take it back
        </Button>
      ) : (
        <Button
          kind="go"
          icon="check"
          isBusy={isSending}
          unable={unable}
          keys={decision === 'approve' ? sendKeys() : ['1']}
          aria-pressed={decision === 'approve' ? true : undefined}
          onClick={() => send('approve')}
        >
          Approve
        </Button>
      )}
    </>
  )
}

const verbs = { question: 'Answer', form: 'Send', login: 'I have signed in', approval: 'Send' }
const verbsWithNext = { ...verbs, question: 'Answer and next', form: 'Send and next', login: 'I have signed in, next' }

function Send({ answering, hasNext }: { answering: Answering; hasNext: boolean }) {
  const { request, missing, isSending, unable, send } = answering
  return (
    <Button kind="go" isBusy={isSending} unable={unable ?? missing} keys={sendKeys()} onClick={() => send()}>
      {(hasNext ? verbsWithNext : verbs)[request.type]}
    </Button>
  )
}
