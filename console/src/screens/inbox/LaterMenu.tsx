// "Not now": puts a request aside for a while, or takes it back. It is kept in this browser and changes nothing for others.
import type { InboxRequest } from '@runyard/sdk'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { useNow } from '../../parts/Time.tsx'
import { toast } from '../../parts/toasts.tsx'
import { comesBack, putAside, takeBack, tomorrowMorning } from './later.ts'

const hourMs = 3_600_000

interface Props {
  request: InboxRequest
  isAside: boolean
  /** When it was put aside: another one is to be looked at now. */
  onAside: () => void
  onBack: () => void
}

export function LaterMenu({ request, isAside, onAside, onBack }: Props) {
  const { id: memberId } = useSession().profile
  const isTooLate = comesBack(request.expires_at, Infinity, useNow(10_000)) === undefined
  const whyNot = isTooLate ? 'Its deadline is too close to put it aside.' : undefined

  function aside(until: number) {
    const comes = comesBack(request.expires_at, until, Date.now())
    if (comes === undefined) {
      toast('Its deadline is too close to put it aside')
      return
    }
    putAside(memberId, request.id, comes)
    toast('Put aside, in this browser only', () => takeBack(memberId, [request.id]))
    onAside()
  }
  function back() {
    takeBack(memberId, [request.id])
    onBack()
  }
  useKeys([
    {
      keys: 'h',
      says: isAside ? 'Take back' : 'Not now, for an hour',
      where: 'Inbox',
      run: () => (isAside ? back() : aside(Date.now() + hourMs)),
    },
  ])

  if (isAside)
    return (
      <Button kind="quiet" icon="inbox" keys={['H']} onClick={back} aria-keyshortcuts="h">
        Take back
      </Button>
    )
  return (
    <Menu
      label="Not now"
      trigger={
        <Button
          kind="quiet"
          icon="clock"
          keys={['H']}
          unable={whyNot}
          aria-keyshortcuts="h"
          title="Put it aside for a while. This is kept in this browser; for others nothing changes."
        >
          Not now
        </Button>
      }
      items={[
        { label: 'For an hour', keys: 'H', onSelect: () => aside(Date.now() + hourMs) },
        { label: 'For four hours', onSelect: () => aside(Date.now() + 4 * hourMs) },
        { label: 'Until tomorrow, 9:00', onSelect: () => aside(tomorrowMorning(Date.now())) },
      ]}
    />
  )
}
