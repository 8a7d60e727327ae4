// Whether the browser notifies of new requests; the screen of notifications has more to choose.
import { useBrowserNotices } from '../../app/noticePermission.ts'
import { Icon } from '../../look/Icon.tsx'
import { Tooltip } from '../../parts/Tooltip.tsx'
import style from './InboxScreen.module.css'

export function NotifySwitch() {
  const { isOn, change } = useBrowserNotices()
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
