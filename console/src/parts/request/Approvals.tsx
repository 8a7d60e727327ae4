// Who has approved so far, where two people must, and what this person can still do about it.
import type { HumanRequest } from '@runyard/sdk'
import { classes } from '../../look/classes.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Time } from '../Time.tsx'
import { visible } from '../visibleText.ts'
import { useAnswerer } from './Outcome.tsx'
import style from './Request.module.css'
import { approvalsSentence } from './words.ts'

type Approval = NonNullable<HumanRequest['approvals']>[number]

export function Approvals({ request }: { request: HumanRequest }) {
  const sentence = approvalsSentence(request)
  if (sentence === undefined) return null
  return (
    <div className={classes(style.changed, style.approvals)} role="status">
      <StatusShape shape="human" />
      <span>
        {sentence}
        {(request.approvals ?? []).map((approval) => (
          <Given key={approval.user_id} approval={approval} />
        ))}
      </span>
    </div>
  )
}

function Given({ approval: { user_id, at } }: { approval: Approval }) {
  const who = useAnswerer({ responded_by: user_id })
  return (
    <>
      {' '}
      <b>{visible(who ?? 'Somebody')}</b> approved <Time at={at} />.
    </>
  )
}
