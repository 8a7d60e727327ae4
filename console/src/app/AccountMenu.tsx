// The person at the foot of the sidebar: notifications, theme, zone of times, keys, the tour, and signing out.
import { useNavigate } from '@tanstack/react-router'
import { Icon } from '../look/Icon.tsx'
import { Menu } from '../parts/Menu.tsx'
import { toastError } from '../parts/toasts.tsx'
import style from './AccountMenu.module.css'
import { useCommands } from './commands.ts'
import { useSession } from './session.tsx'
import { localZone, set, useSetting } from './settings.ts'
import { startTour } from './tour.ts'
import { visible } from '../parts/visibleText.ts'

/** The first letters of the first two words. */
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('')

export function AccountMenu({ onShowKeys }: { onShowKeys: () => void }) {
  const { profile, signOut } = useSession()
  const theme = useSetting('theme')
  const zone = useSetting('zone')
  const keys = useSetting('keys')
  const navigate = useNavigate()
  const openNotifications = () => void navigate({ to: '/notifications' })
  const leave = () => void signOut().catch((error: unknown) => toastError('You are still signed in', error))
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  // a phone has no sidebar, so the palette has what matters of it
  useCommands([
    {
      id: 'theme',
      label: isDark ? 'Use the light theme' : 'Use the dark theme',
      icon: isDark ? 'sun' : 'moon',
      words: 'theme colours',
      run: () => set('theme', isDark ? 'light' : 'dark'),
    },
    {
      id: 'notifications',
      label: 'Notifications',
      icon: 'bell',
      words: 'mail e-mail digest quiet',
      run: openNotifications,
    },
    { id: 'sign-out', label: 'Sign out', icon: 'out', words: 'log out leave', run: leave },
  ])
  const trigger = (
    <button type="button" className={style.me}>
      <b aria-hidden>{initials(profile.name)}</b>
      <span className="cut">{visible(profile.name)}</span>
      <Icon name="more" label="settings and signing out" />
    </button>
  )
  return (
    <Menu
      label="Settings"
      trigger={trigger}
      items={[
        { label: 'Notifications', icon: 'bell', keys: 'g n', onSelect: openNotifications },
        { label: 'Theme of the system', isChecked: theme === 'system', onSelect: () => set('theme', 'system') },
        { label: 'Light', isChecked: theme === 'light', onSelect: () => set('theme', 'light') },
        { label: 'Dark', isChecked: theme === 'dark', onSelect: () => set('theme', 'dark') },
        { label: `Times in ${localZone()}`, isChecked: zone === 'local', onSelect: () => set('zone', 'local') },
        { label: 'Times in UTC', isChecked: zone === 'utc', onSelect: () => set('zone', 'utc') },
        {
          label: 'Keys without Ctrl work',
          isChecked: keys === 'on',
          onSelect: () => set('keys', keys === 'on' ? 'off' : 'on'),
        },
        { label: 'All keys', icon: 'info', keys: '?', onSelect: onShowKeys },
        { label: 'Take the tour', icon: 'overview', onSelect: startTour },
        { label: 'API reference', icon: 'book', onSelect: () => window.open('/docs/', '_blank', 'noopener') },
        {
          label: 'Sign out',
          icon: 'out',
          onSelect: leave,
        },
      ]}
    />
  )
}
