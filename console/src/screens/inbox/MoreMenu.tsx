// What else can be done with a request: copy it or the answer to it, or cancel it.
import type { HumanRequest, InboxRequest, RespondToHumanRequestInput } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { useCopyAs } from '../../parts/CopyAs.tsx'
import { copy } from '../../parts/CopyText.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'

interface Props {
  request: InboxRequest
  /** What would be sent now, to be copied as a call. */
  input: RespondToHumanRequestInput
  onCancelled: (request: HumanRequest) => void
}

function copyText(text: string, says: string): void {
  copy(text).then(
    () => toast(says),
    (error: unknown) => toastError('It could not be copied', error),
  )
}

export function MoreMenu({ request, input, onCancelled }: Props) {
  const queries = useQueryClient()
  const { unable } = useSession()
  const [isAsking, setAsking] = useState(false)
  const cancelling = useMutation({
    mutationFn: () => runyard.humanRequests.cancel(request.run_id, request.id),
    onSuccess({ human_request }) {
      setAsking(false)
      toast('The request is cancelled')
      void queries.invalidateQueries({ queryKey: ['requests'] })
      onCancelled(human_request)
    },
    onError(error) {
      setAsking(false)
      toastError('It could not be cancelled', error)
    },
  })
  const isOpen = request.status === 'pending'
  const answers = useCopyAs(
    isOpen
      ? {
          operation: 'respondToHumanRequest',
          params: { run_id: request.run_id, request_id: request.id },
          input: { ...input },
        }
      : undefined,
    { isOffered: false },
  )
  const leadsTo = request.consequences.find(({ answer }) => answer === 'cancel')?.leads_to
  return (
    <>
      <Menu
        label="More"
        trigger={<Button kind="quiet" icon="more" aria-label="More" />}
        items={[
          {
            label: 'Copy a link to it',
            icon: 'link',
            onSelect: () => copyText(`${window.location.origin}/inbox?request=${request.id}`, 'Link copied'),
          },
          { label: 'Copy its id', icon: 'copy', onSelect: () => copyText(request.id, 'Id copied') },
          ...answers.map(({ form, copy: copyAnswer }) => ({
            label: `Copy the answer as ${form}`,
            icon: 'copy' as const,
            onSelect: copyAnswer,
          })),
          ...(isOpen
            ? [
                {
                  label: 'Cancel the request…',
                  icon: 'cross' as const,
                  unable: unable('runs:write'),
                  onSelect: () => setAsking(true),
                },
              ]
            : []),
        ]}
      />
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Cancel “${visible(request.title).slice(0, 120)}”?`}
        verb="Cancel the request"
        isBusy={cancelling.isPending}
        onConfirm={() => cancelling.mutate()}
      >
        <p>Nobody can answer it any more. {visible(leadsTo ?? '')}</p>
      </Confirm>
    </>
  )
}
