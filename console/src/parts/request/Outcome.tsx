// What became of a request: who answered what and when. It stands where the answer was given.
import type { HumanRequest } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../app/session.tsx'
import { membersQuery } from '../../queries/team.ts'
import { Icon } from '../../look/Icon.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Json } from '../Json.tsx'
import { Time } from '../Time.tsx'
import { visible } from '../visibleText.ts'
import { responseOf } from './asked.ts'
import { isTouched, type Draft } from './draft.ts'
import style from './Request.module.css'
import { outcomeWords } from './words.ts'

/** `You`, the name of a member, or that it was somebody who is gone. Undefined: nobody. */
export function useAnswerer({ responded_by }: Pick<HumanRequest, 'responded_by'>): string | undefined {
  const { profile } = useSession()
  const { data } = useQuery({ ...membersQuery, enabled: responded_by !== null && responded_by !== profile.id })
  if (responded_by === null) return undefined
  if (responded_by === profile.id) return 'You'
  return data?.members.find(({ id }) => id === responded_by)?.name ?? 'Somebody'
}

export function Outcome({ request, unsent }: { request: HumanRequest; unsent?: Draft }) {
  const who = useAnswerer(request)
  const { answers, values, comment } = responseOf(request.response)
  const words = visible(outcomeWords(request))
  return (
    <section className={style.outcome} role="status" aria-label="What became of it">
      <p className={style.outcomeSays}>
        {request.status === 'responded' ? <Icon name="check" /> : <StatusShape shape="stopped" />}
        <span>
          {who === undefined ? (
            <b>{words[0]?.toUpperCase() + words.slice(1)}</b>
          ) : (
            <>
              <b>{visible(who)}</b> {words}
            </>
          )}
          {request.responded_at !== null && (
            <>
              {' '}
              <Time at={request.responded_at} />
            </>
          )}
          .
        </span>
      </p>
      {comment !== undefined && <blockquote>{visible(comment)}</blockquote>}
      {answers.length > 1 && (
        <dl className={style.answers}>
          {answers.map(([question, answer]) => (
            <div key={question}>
              <dt>{visible(question)}</dt>
              <dd>{visible(answer)}</dd>
            </div>
          ))}
        </dl>
      )}
      {values !== undefined && <Json value={values} />}
      {unsent && who !== 'You' && isTouched(unsent) && (
        <p className="small dim">
          What you had entered was not sent.
          {unsent.comment !== '' && <> Your comment was: “{visible(unsent.comment)}”</>}
        </p>
      )}
    </section>
  )
}
