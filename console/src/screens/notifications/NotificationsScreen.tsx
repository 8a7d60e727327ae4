// Notifications: what a person is notified of, by mail and by the browser, and when.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { UpdateNotificationsInput } from '@runyard/sdk'
import { Bar } from '../../app/Bar.tsx'
import { runyard } from '../../app/client.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Shown } from '../../parts/states.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { notificationsQuery } from '../../queries/notifications.ts'
import { Kinds } from './Kinds.tsx'
import { Mails } from './Mails.tsx'
import { MailboxCard } from './MailboxCard.tsx'
import style from './NotificationsScreen.module.css'
import { Times } from './Times.tsx'

export function NotificationsScreen() {
  const queries = useQueryClient()
  const notifications = useQuery(notificationsQuery)
  const change = useMutation({
    mutationFn: (input: UpdateNotificationsInput) => runyard.notifications.update(input),
    onSuccess: (answer) => {
      queries.setQueryData(notificationsQuery.queryKey, answer)
      toast('Saved')
    },
    onError: (error) => toastError('Not saved', error),
  })
  return (
    <>
      <Bar title="Notifications">
        <CopyAs operation="getNotifications" />
      </Bar>
      <main className={style.page}>
        <Shown query={notifications} what="your notifications">
          {({ notifications: choices, mailbox }) => (
            <div className={style.cards}>
              <MailboxCard mailbox={mailbox} />
              <Kinds choices={choices} mailbox={mailbox} onChange={(input) => change.mutate(input)} />
              <Times key={JSON.stringify(choices)} choices={choices} onChange={(input) => change.mutate(input)} />
              <Mails />
            </div>
          )}
        </Shown>
      </main>
    </>
  )
}
