// Sends everything again that was given up since some time, to one receiver or to all.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { startWork } from '../../app/work.ts'
import { counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, Select } from '../../parts/Field.tsx'
import { Failed } from '../../parts/states.tsx'
import { deliveryTargetsQuery } from '../../queries/events.ts'
import { failedSince } from './failedSince.ts'
import { receiverChoice } from './receiverChoice.ts'
import { timeSpans, type TimeSpan } from './search.ts'
import { sinceOf, spanWords } from './timeSpan.ts'

interface ResendFailedProps {
  receiver: string | undefined
  onClose: () => void
}

const everything = { value: '', label: 'all that is kept (30 days)' }

export function ResendFailed({ receiver: first, onClose }: ResendFailedProps) {
  const { profile } = useSession()
  const { data: targets = [] } = useQuery(deliveryTargetsQuery)
  const [receiver, setReceiver] = useState(first ?? '')
  const [span, setSpan] = useState<TimeSpan | ''>('24h')
  const found = useQuery({
    queryKey: ['deliveries', 'failed', receiver, span],
    queryFn: ({ signal }) => failedSince(sinceOf(span === '' ? undefined : span), receiver, signal),
    gcTime: 0,
    staleTime: 0,
  })
  const ids = found.data
  const many = ids === undefined ? 'deliveries' : counted(ids.length, 'delivery', 'deliveries')
  const choices = targets.filter(({ kind }) => kind === 'subscription').map(receiverChoice)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Send failed deliveries again?"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="go"
            icon="retry"
            isBusy={found.isPending}
            unable={ids?.length === 0 ? 'Nothing was given up in this time.' : undefined}
            onClick={() => {
              startWork('resendDeliveries', profile.id, { items: ids ?? [] })
              onClose()
            }}
          >
            Resend {many}
          </Button>
        </>
      }
    >
      <Field label="Given up of events since">
        <Select
          value={span}
          options={[...timeSpans.map((each) => ({ value: each, label: spanWords[each] })), everything]}
          onChange={(event) => setSpan(event.target.value as TimeSpan | '')}
        />
      </Field>
      <Field label="Receiver">
        <Select
          value={receiver}
          options={[{ value: '', label: 'all, also callbacks of runs' }, ...choices]}
          onChange={(event) => setReceiver(event.target.value)}
        />
      </Field>
      {found.error && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      <p className="sub small">
        The oldest goes first, with the id and the body that it had, so a receiver can tell what it has seen. New events
        go before them.
      </p>
    </Dialog>
  )
}
