// Where mails go, or why they do not, with the one button that helps: confirm the address, or try it.
import type { Mailbox } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { mailsQuery, notificationsQuery } from '../../queries/notifications.ts'
import { takeToken } from './confirmation.ts'
import style from './NotificationsScreen.module.css'

const why: Record<Exclude<Mailbox['state'], 'ready'>, string> = {
  no_mail_server: 'This server sends no mails: its operator has not set up a mail server (RUNYARD_SMTP_URL).',
  no_address: 'You have no e-mail address here. An admin of your team can add it under Keys and members.',
  bad_address: 'No mail can be sent to this address. An admin of your team can correct it.',
  unconfirmed: 'Mails are sent only to an address that is shown to be yours. Open the link in the confirmation mail.',
}

export function MailboxCard({ mailbox: { state, email, from } }: { mailbox: Mailbox }) {
  const queries = useQueryClient()
  const ordered = () => queries.invalidateQueries({ queryKey: mailsQuery.queryKey })
  const test = useMutation({
    mutationFn: () => runyard.notifications.test(),
    onSuccess: ordered,
    onError: (error) => toastError('No test mail was sent', error),
  })
  const ask = useMutation({
    mutationFn: () => runyard.notifications.requestConfirmation(),
    onSuccess: ordered,
    onError: (error) => toastError('No confirmation mail was sent', error),
  })
  useConfirmation()
  return (
    <Card title="Your mailbox" aside={state === 'ready' ? <Tag tone="live">confirmed</Tag> : <Tag>no mails</Tag>}>
      <div className={style.body}>
        {email !== null && <p className={style.address}>{email}</p>}
        <p className="dim">{state === 'ready' ? `Mails come from ${from}.` : why[state]}</p>
        {state === 'ready' && (
          <Button icon="message" isBusy={test.isPending} onClick={() => test.mutate()}>
            Send a test mail
          </Button>
        )}
        {state === 'unconfirmed' && (
          <Button kind="go" icon="message" isBusy={ask.isPending} onClick={() => ask.mutate()}>
            Send a confirmation mail
          </Button>
        )}
      </div>
    </Card>
  )
}

/** The link in a confirmation mail leads here, with its token behind the #. */
function useConfirmation(): void {
  const queries = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: (token: string) => runyard.notifications.confirm({ token }),
    onSuccess: () => {
      toast('Your address is confirmed')
      void queries.invalidateQueries({ queryKey: notificationsQuery.queryKey })
    },
    onError: (error) => toast(`Your address is not confirmed. ${messageOf(error)}`),
  })
  useEffect(() => {
    const token = takeToken()
    if (token !== undefined) mutate(token)
  }, [mutate])
}
