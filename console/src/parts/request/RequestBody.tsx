// What a person reads before they answer: the text of the agent, the exact action, the fields, and what each answer leads to.
import type { Consequence, HumanRequest } from '@runyard/sdk'
import { Icon, type IconName } from '../../look/Icon.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Markdown } from '../Markdown.tsx'
import { SchemaForm } from '../SchemaForm.tsx'
import { Slip } from '../Slip.tsx'
import { visible } from '../visibleText.ts'
import { Approvals } from './Approvals.tsx'
import { isOfCall } from './asked.ts'
import { valuesOf } from './input.ts'
import { QuestionFields } from './QuestionFields.tsx'
import style from './Request.module.css'
import type { Answering } from './useAnswering.ts'

interface Props {
  answering: Answering
  /** What the service says about each answer; empty while it is not known. */
  consequences: Consequence[]
  /** The question that digits choose for. */
  current: number
  onCurrent: (at: number) => void
}

export function RequestBody({ answering, consequences, current, onCurrent }: Props) {
  const { request, hasChanged, isClosed, hasApproved } = answering
  return (
    <>
      {hasChanged && !isClosed && (
        <p className={style.changed} role="alert">
          <StatusShape shape="human" />
          The action has changed since you opened this. What you see now is the one that waits. Look again, then decide.
        </p>
      )}
      {request.description !== null && request.description !== '' && (
        <div className={style.description}>
          <Markdown text={request.description} />
        </div>
      )}
      {!isClosed && <Approvals request={request} />}
      {isOfCall(request) && request.action && <Action request={request} action={request.action} />}
      {request.type === 'question' && !isClosed && (
        <QuestionFields answering={answering} current={current} onCurrent={onCurrent} />
      )}
      {request.type === 'form' && !isClosed && (
        <div className={style.form}>
          <SchemaForm
            schema={request.form_schema}
            value={valuesOf(request, answering.draft)}
            onChange={(values) => answering.change({ ...answering.draft, values })}
            problems={answering.problems}
            unable={answering.unable}
          />
        </div>
      )}
      {!isClosed && (
        <Effects consequences={consequences.filter(({ answer }) => !hasApproved || answer !== 'approve')} />
      )}
    </>
  )
}

function Action({ request, action }: { request: HumanRequest; action: NonNullable<HumanRequest['action']> }) {
  const isApproval = request.type === 'approval'
  return (
    <section className={style.action}>
      <h3 className="caption">{isApproval ? 'What will be done, exactly' : 'The call, exactly'}</h3>
      <Slip action={action} {...(!isApproval && { foot: 'Sent, no answer stored' })} />
      {isApproval && (
        <p className="small dim">
          Your answer counts for this action only. If the action changes before you press, the answer is refused and you
          see the new one.
        </p>
      )}
    </section>
  )
}

const known: Record<string, { word: string; icon: IconName }> = {
  approve: { word: 'Approve', icon: 'check' },
  reject: { word: 'Reject', icon: 'cross' },
  answer: { word: 'Answer', icon: 'message' },
  done: { word: 'Signed in', icon: 'check' },
  no_answer: { word: 'No answer', icon: 'clock' },
}

/** What an option of a question leads to is said at the option, and of a cancellation where one confirms it. */
function Effects({ consequences }: { consequences: Consequence[] }) {
  const shown = consequences.flatMap(({ answer, leads_to }) => {
    const about = Object.hasOwn(known, answer) ? known[answer] : undefined
    return about ? [{ ...about, leads_to }] : []
  })
  if (shown.length === 0) return null
  return (
    <section className={style.effects}>
      <h3 className="forReaders">What each answer leads to</h3>
      <dl>
        {shown.map(({ word, icon, leads_to }) => (
          <div key={word}>
            <dt>
              <Icon name={icon} size={14} />
              {word}
            </dt>
            <dd>{visible(leads_to)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
