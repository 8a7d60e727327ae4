// Whether this browser shows notifications. It asks for the permission only when somebody switches them on.
import { toast } from '../parts/toasts.tsx'
import { set, useSetting } from './settings.ts'

export const isAllowed = (): boolean => 'Notification' in window && Notification.permission === 'granted'

export function useBrowserNotices(): { isOn: boolean; change: () => Promise<void> } {
  const isOn = useSetting('notify') === 'on' && isAllowed()
  return { isOn, change: () => (isOn ? switchOff() : switchOn()) }
}

async function switchOff(): Promise<void> {
  set('notify', 'off')
}

async function switchOn(): Promise<void> {
  if (!('Notification' in window)) {
    toast('This browser cannot notify you here. It needs a page over HTTPS, or on this machine.')
    return
  }
  const answer = await Notification.requestPermission()
  set('notify', answer === 'granted' ? 'on' : 'off')
  toast(
    answer === 'granted'
      ? 'The browser will notify you while Runyard is open in a tab'
      : 'The browser does not allow it. Its settings for this page can change that.',
  )
}
