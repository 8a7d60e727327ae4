// Whether the browser tells of new requests. It asks for the permission only when somebody switches this on.
import { set, useSetting } from '../../app/settings.ts'
import { Icon } from '../../look/Icon.tsx'
import { Tooltip } from '../../parts/Tooltip.tsx'
import { toast } from '../../parts/toasts.tsx'
import style from './InboxScreen.module.css'

export function NotifySwitch() {
  const wanted = useSetting('notify') === 'on'
  const isOn = wanted && 'Notification' in window && Notification.permission === 'granted'

  async function change() {
    if (isOn) {
      set('notify', 'off')
      return
    }
    if (!('Notification' in window)) {
      toast('This browser cannot notify you here. It needs a page over HTTPS, or on this machine.')
      return
    }
    const answer = await Notification.requestPermission()
    set('notify', answer === 'granted' ? 'on' : 'off')
    toast(
      answer === 'granted'
        ? 'The browser will tell you of new requests while Runyard is open in a tab'
        : 'The browser does not allow it. Its settings for this page can change that.',
    )
  }

  return (
    <Tooltip
      says={isOn ? 'The browser tells you of new requests. Switch it off' : 'Let the browser tell you of new requests'}
    >
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-label="Browser notifications"
        className={style.bell}
        onClick={() => void change()}
      >
        <Icon name="bell" size={14} />
      </button>
    </Tooltip>
  )
}
