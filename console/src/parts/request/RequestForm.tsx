// A request that waits for a person, to be answered where it stands: on the page of its run.
import type { HumanRequest } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { requestQuery } from '../../queries/requests.ts'
import { AnswerBar } from './AnswerBar.tsx'
import { Outcome } from './Outcome.tsx'
import style from './Request.module.css'
import { RequestBody } from './RequestBody.tsx'
import { useAnswering } from './useAnswering.ts'
import { useAnswerKeys } from './useAnswerKeys.ts'

interface Props {
  /** As a run or a list has it. When anybody answers it, the form locks by itself and says who did. */
  request: HumanRequest
  onAnswered?: (request: HumanRequest) => void
}

/** Give it the id of the request as `key`, so that another request begins with an empty form. */
export function RequestForm({ request: given, onAnswered }: Props) {
  const { data: whole } = useQuery(requestQuery(given.id))
  const answering = useAnswering(whole ?? given, { onAnswered })
  const [current, setCurrent] = useState(0)
  const comment = useRef<HTMLInputElement>(null)
  useAnswerKeys(answering, current, comment)
  return (
    <section className={style.request} aria-label={`Request: ${given.title}`}>
      <div className={style.body}>
        <RequestBody
          answering={answering}
          consequences={whole?.consequences ?? []}
          current={current}
          onCurrent={setCurrent}
        />
      </div>
      {answering.isClosed ? (
        <Outcome request={answering.request} unsent={answering.draft} />
      ) : (
        <AnswerBar answering={answering} comment={comment} />
      )}
    </section>
  )
}
