// Tells of new requests by the notifications of the browser, on every screen, for those who switched it on in the inbox.
import type { HumanRequest } from '@runyard/sdk'
import { useNavigate } from '@tanstack/react-router'
import { visible } from '../parts/visibleText.ts'
import { useLiveEvents } from './live.tsx'
import { useSession } from './session.tsx'
import { useSetting } from './settings.ts'

const titleMax = 120

export function RequestNotices() {
  const navigate = useNavigate()
  const { profile } = useSession()
  const isWanted = useSetting('notify') === 'on'
  useLiveEvents(({ event, data }) => {
    if (event !== 'human_request.created' || !isWanted || !isAllowed()) return
    const { human_request: request } = data as { human_request: HumanRequest }
    const isMine = request.assignee_user_id === profile.id
    if (!isMine && request.assignee_user_id !== null) return
    // whoever looks at the inbox sees it there
    if (document.visibilityState === 'visible' && window.location.pathname === '/inbox') return
    const notice = new Notification(isMine ? 'Runyard asks you' : 'Runyard asks a person', {
      body: visible(request.title).slice(0, titleMax),
      // two tabs tell of it once
      tag: request.id,
      icon: '/icon.svg',
    })
    notice.addEventListener('click', () => {
      window.focus()
      void navigate({ to: '/inbox', search: { request: request.id } })
      notice.close()
    })
  })
  return null
}

const isAllowed = (): boolean => 'Notification' in window && Notification.permission === 'granted'
