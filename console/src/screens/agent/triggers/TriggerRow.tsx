// One trigger in the list: what starts it, what came last, and what can be done with it.
import type { Trigger } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { CopyText } from '../../../parts/CopyText.tsx'
import { Confirm } from '../../../parts/Dialog.tsx'
import { Menu } from '../../../parts/Menu.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { triggersQuery } from '../../../queries/triggers.ts'
import { brief } from '../../agents/brief.ts'
import tab from '../tab.module.css'
import { causeOf, kindWords, nameOf } from './triggerWords.ts'

interface TriggerRowProps {
  trigger: Trigger
  /** Its deliveries are shown. */
  isShown: boolean
  onEdit: () => void
  onShow: () => void
}

export function TriggerRow({ trigger, isShown, onEdit, onShow }: TriggerRowProps) {
  const { unable } = useSession()
  const [asking, setAsking] = useState<'delete' | 'rotate'>()
  const { id, kind, enabled, last_delivery_at, poll } = trigger
  const name = brief(nameOf(trigger))
  const { pause, remove, rotate } = useChanges(trigger, () => setAsking(undefined))
  const cannot = unable('agents:write')
  const hasAddress = kind === 'webhook' || kind === 'email'
  return (
    <tr>
      <td>
        <button type="button" className={tab.open} aria-expanded={isShown} onClick={onShow}>
          {name}
        </button>{' '}
        <Tag>{kindWords[kind]}</Tag> {!enabled && <Tag tone="wait">paused</Tag>}
        {poll?.last_problem && (
          <p className={tab.why}>
            {poll.last_problem}{' '}
            <Link className="link" to="/connections/$connectionId" params={{ connectionId: poll.connection_id }}>
              Open the connection
            </Link>
          </p>
        )}
      </td>
      <td data-label="Started by">
        <Cause trigger={trigger} />
      </td>
      <td data-label="Last delivery">
        {last_delivery_at ? <Time at={last_delivery_at} /> : <span className="dim">never</span>}
      </td>
      <td className={tab.actions}>
        <Menu
          label="Trigger"
          trigger={<Button kind="quiet" icon="more" aria-label={`Actions of ${name}`} />}
          items={[
            { label: isShown ? 'Hide deliveries' : 'Deliveries', icon: 'events', onSelect: onShow },
            { label: 'Change…', icon: 'edit', unable: cannot, onSelect: onEdit },
            enabled
              ? { label: 'Pause', icon: 'pause', unable: cannot, onSelect: () => pause.mutate(false) }
              : { label: 'Resume', icon: 'play', unable: cannot, onSelect: () => pause.mutate(true) },
            ...(hasAddress
              ? [{ label: 'New address…', icon: 'retry' as const, unable: cannot, onSelect: () => setAsking('rotate') }]
              : []),
            { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => setAsking('delete') },
          ]}
        />
        <Confirm
          key={id}
          isOpen={asking !== undefined}
          onClose={() => setAsking(undefined)}
          title={asking === 'rotate' ? `Give “${name}” a new address?` : `Delete the trigger “${name}”?`}
          verb={asking === 'rotate' ? 'Replace' : 'Delete'}
          isBusy={remove.isPending || rotate.isPending}
          onConfirm={() => (asking === 'rotate' ? rotate.mutate() : remove.mutate())}
        >
          <p>
            {asking === 'rotate'
              ? 'The old address takes nothing any more, at once. Give the new one to its sender.'
              : 'It takes nothing any more, and what waits is not started. Runs that it has started continue.'}
          </p>
        </Confirm>
      </td>
    </tr>
  )
}

/** The address to copy, or the words for what starts it. */
function Cause({ trigger }: { trigger: Trigger }) {
  const { webhook, email } = trigger
  const address = webhook?.url ?? email?.address
  if (address) {
    const shown = webhook
      ? `${new URL(address).pathname.slice(0, 10)}…`
      : `${address.slice(0, 6)}…${address.slice(address.indexOf('@'))}`
    return <CopyText text={address} what={webhook ? 'URL' : 'address'} shown={shown} />
  }
  return <span className="dim">{causeOf(trigger) ?? 'Only those who may change it see its address.'}</span>
}

function useChanges({ id, agent_id }: Trigger, onDone: () => void) {
  const queries = useQueryClient()
  const learn = () => void queries.invalidateQueries({ queryKey: triggersQuery(agent_id).queryKey })
  const pause = useMutation({
    mutationFn: (isOn: boolean) => runyard.triggers.update(id, { enabled: isOn }),
    onSuccess(_answer, isOn) {
      learn()
      toast(isOn ? 'The trigger is resumed' : 'The trigger is paused', isOn ? undefined : () => pause.mutate(true))
    },
    onError: (error) => toastError('The trigger is as it was', error),
  })
  const remove = useMutation({
    mutationFn: () => runyard.triggers.delete(id),
    onSuccess() {
      learn()
      onDone()
      toast('The trigger is deleted')
    },
    onError: (error) => toastError('The trigger was not deleted', error),
  })
  const rotate = useMutation({
    mutationFn: () => runyard.triggers.rotateAddress(id),
    onSuccess() {
      learn()
      onDone()
      toast('The trigger has a new address')
    },
    onError: (error) => toastError('The address is as it was', error),
  })
  return { pause, remove, rotate }
}
