// The open request: what is asked, by whom, until when, and where it is answered.
import type { HumanRequest, InboxRequest } from '@runyard/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useKeys } from '../../app/keys.ts'
import { useSetting, zoneOf } from '../../app/settings.ts'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { AnswerBar } from '../../parts/request/AnswerBar.tsx'
import { inputOf } from '../../parts/request/input.ts'
import { Outcome } from '../../parts/request/Outcome.tsx'
import { RequestBody } from '../../parts/request/RequestBody.tsx'
import { useAnswering } from '../../parts/request/useAnswering.ts'
import { useAnswerKeys } from '../../parts/request/useAnswerKeys.ts'
import { deadlineSentence, typeWord } from '../../parts/request/words.ts'
import { Time, useNow } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { requestQuery } from '../../queries/requests.ts'
import { AssignMenu } from './AssignMenu.tsx'
import { LaterMenu } from './LaterMenu.tsx'
import { MoreMenu } from './MoreMenu.tsx'
import style from './Preview.module.css'

interface Props {
  request: InboxRequest
  isAside: boolean
  hasNext: boolean
  /** It came after another one that was answered: the focus, which was there, moves here. */
  takesFocus: boolean
  /** This person has answered it. */
  onAnswered: (request: HumanRequest) => void
  /** It is closed or assigned, by whomever. */
  onChanged: (request: HumanRequest) => void
  onAside: () => void
  /** It is no longer put aside. */
  onBack: () => void
}

export function Preview({
  request: given,
  isAside,
  hasNext,
  takesFocus,
  onAnswered,
  onChanged,
  onAside,
  onBack,
}: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const answering = useAnswering(given, { onAnswered, onTakenBack: changed })
  const [current, setCurrent] = useState(0)
  const comment = useRef<HTMLInputElement>(null)
  const doc = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) doc.current?.focus({ preventScroll: true })
  }, [takesFocus])
  useAnswerKeys(answering, current, comment)
  useKeys([
    {
      keys: 'o',
      says: 'Open the run',
      where: 'Inbox',
      run: () => void navigate({ to: '/runs/$runId', params: { runId: given.run_id } }),
    },
  ])
  const request: InboxRequest = { ...given, ...answering.request }

  function changed(next: HumanRequest) {
    queries.setQueryData(requestQuery(given.id).queryKey, (before) => before && { ...before, ...next })
    onChanged(next)
  }

  return (
    <article className={style.preview} aria-labelledby="request-title">
      <header className={style.head}>
        <div className={style.kind}>
          <Pill request={request} />
          <When request={request} />
          <div className={style.acts}>
            {!answering.isClosed && (
              <>
                <AssignMenu request={request} onAssigned={changed} />
                <LaterMenu request={request} isAside={isAside} onAside={onAside} onBack={onBack} />
              </>
            )}
            <MoreMenu
              request={request}
              input={inputOf(request, answering.draft, answering.decision ?? 'approve')}
              onCancelled={changed}
            />
          </div>
        </div>
        <h2 id="request-title" className={style.title}>
          {visible(request.title)}
        </h2>
        <AskedBy request={request} />
      </header>
      <div ref={doc} className={style.doc} tabIndex={-1} role="group" aria-labelledby="request-title">
        <RequestBody answering={answering} consequences={given.consequences} current={current} onCurrent={setCurrent} />
      </div>
      <footer className={style.answer}>
        {answering.isClosed ? (
          <Outcome request={answering.request} unsent={answering.draft} />
        ) : (
          <AnswerBar answering={answering} comment={comment} hasNext={hasNext} />
        )}
      </footer>
    </article>
  )
}

function Pill({ request }: { request: HumanRequest }) {
  const isOpen = request.status === 'pending'
  return (
    <span className={classes(style.pill, isOpen && style.open)}>
      <StatusShape shape={isOpen ? 'human' : request.status === 'responded' ? 'done' : 'stopped'} />
      {typeWord[request.type]}
    </span>
  )
}

function When({ request }: { request: HumanRequest }) {
  const zone = zoneOf(useSetting('zone'))
  const now = useNow()
  return (
    <span className={style.when}>
      asked <Time at={request.created_at} />
      {request.status === 'pending' && <> · {deadlineSentence(request, zone, now)}</>}
    </span>
  )
}

function AskedBy({ request: { run, step, run_id } }: { request: InboxRequest }) {
  return (
    <p className={style.by}>
      Asked by{' '}
      <Link className="link" to="/agents/$agentId" params={{ agentId: run.agent_id }}>
        {visible(run.agent_name)}
      </Link>
      , build {run.revision_number}, in{' '}
      <Link className="link" to="/runs/$runId" params={{ runId: run_id }} title={visible(run.title)}>
        run {run.run_number}
      </Link>
      {step !== undefined && <>, step {step}</>}
      {run.case_id !== null && run.case_title !== null && (
        <>
          {' '}
          · case{' '}
          <Link className="link" to="/cases/$caseId" params={{ caseId: run.case_id }}>
            {visible(run.case_title)}
          </Link>
        </>
      )}
    </p>
  )
}

/** Back to the list, on a phone. */
export function BackToList() {
  return (
    <Link className={style.back} to="/inbox" search={(before) => ({ ...before, request: undefined })}>
      <Icon name="left" />
      Inbox
    </Link>
  )
}
