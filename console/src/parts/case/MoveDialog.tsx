// Asks what a move of a case needs: a reason, a time, whether its run may be stopped, or whether it may be taken from who holds it.
import type { Case } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSetting, zoneOf } from '../../app/settings.ts'
import { Confirm } from '../Dialog.tsx'
import { Field, Input, TextArea } from '../Field.tsx'
import { fieldOf, momentOfField } from '../filters/times.ts'
import { FormDialog } from '../FormDialog.tsx'
import { membersQuery } from '../../queries/team.ts'
import { Time, useNow } from '../Time.tsx'
import { visible } from '../visibleText.ts'
import type { Move } from './moves.ts'
import type { Said } from './useMoving.tsx'
import { caseStatusWords } from './words.ts'

interface MoveDialogProps {
  item: Case
  move: Move
  isBusy: boolean
  onClose: () => void
  onSay: (said: Said) => void
}

export function MoveDialog(props: MoveDialogProps) {
  if (props.move.asks === 'stop') return <StopFirst {...props} />
  if (props.move.asks === 'holder') return <TakeOver {...props} />
  return props.move.asks === 'time' ? <PostponeDialog {...props} /> : <FailDialog {...props} />
}

const named = ({ title }: Case): string => `“${visible(title.length > 60 ? `${title.slice(0, 59)}…` : title)}”`

function StopFirst({ item, move, isBusy, onClose, onSay }: MoveDialogProps) {
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Stop the run of ${named(item)}?`}
      verb="Stop it and move the case"
      isBusy={isBusy}
      onConfirm={() => onSay({})}
    >
      <p>
        A run works on this case. It ends where it is, and the case becomes {caseStatusWords[move.to].toLowerCase()}.
        What the run did outside stays done.
      </p>
    </Confirm>
  )
}

/** Who holds it learns it from the timeline, so a reason is asked for. */
function TakeOver({ item, move, isBusy, onClose, onSay }: MoveDialogProps) {
  const { data, isPending } = useQuery(membersQuery)
  const [reason, setReason] = useState('')
  const holder = data?.members.find(({ id }) => id === item.claimed_by_user_id)
  const name = holder ? visible(holder.name) : isPending ? '…' : 'A member who has left'
  const isRelease = move.to === 'pending'
  return (
    <FormDialog
      title={isRelease ? `Release ${named(item)}` : `Take over ${named(item)}`}
      verb={isRelease ? 'Release it' : 'Take it over'}
      width="narrow"
      unable={isPending ? 'Who holds it is being looked up.' : undefined}
      isBusy={isBusy}
      onClose={onClose}
      onSend={() => onSay({ reason: reason.trim() })}
    >
      <p>
        <b>{name}</b> holds this case
        {item.claimed_at !== null && (
          <>
            {' '}
            since <Time at={item.claimed_at} kind="clock" />
          </>
        )}
        . {isRelease ? 'It goes back to the queue, and anybody may take it.' : 'From here on you hold it.'}
      </p>
      <Field label="Reason" hint="The timeline of the case says it, and from whom you took the case.">
        <TextArea rows={2} maxLength={2000} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  )
}

function FailDialog({ item, isBusy, onClose, onSay }: MoveDialogProps) {
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={`Fail ${named(item)}`}
      verb="Fail"
      width="narrow"
      isBusy={isBusy}
      onClose={onClose}
      onSend={() => onSay({ reason: reason.trim() })}
    >
      <Field label="Reason" hint="For the timeline of the case, and for whoever looks at it next.">
        <TextArea maxLength={2000} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  )
}

const hourMs = 3_600_000

function PostponeDialog({ item, isBusy, onClose, onSay }: MoveDialogProps) {
  const zone = zoneOf(useSetting('zone'))
  const [field, setField] = useState(() => fieldOf(new Date(Date.now() + 24 * hourMs).toISOString(), zone))
  const [reason, setReason] = useState('')
  const until = momentOfField(field, zone)
  const now = useNow(10_000)
  const isAhead = until !== undefined && Date.parse(until) > now
  return (
    <FormDialog
      title={`Postpone ${named(item)}`}
      verb="Postpone"
      width="narrow"
      unable={isAhead ? undefined : 'Choose a time that lies ahead.'}
      isBusy={isBusy}
      onClose={onClose}
      onSend={() => onSay({ reason: reason.trim(), ...(until !== undefined && { until }) })}
    >
      <Field label="Until" hint={`In ${zone}. From then on it comes before all other cases.`}>
        <Input type="datetime-local" value={field} onChange={(event) => setField(event.target.value)} />
      </Field>
      <Field label="Reason">
        <TextArea rows={2} maxLength={2000} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
