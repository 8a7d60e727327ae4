// What can be done to all runs that fit the filter, on whatever page they are.
import { Icon } from '../../look/Icon.tsx'
import { counted } from '../../parts/amounts.ts'
import { Menu } from '../../parts/Menu.tsx'
import { useSession } from '../../app/session.tsx'
import type { ApiFilter } from './apiFilter.ts'
import { narrowedTo, type BulkAction } from './bulk.ts'
import style from './OrderMenu.module.css'

interface AllMenuProps {
  total: number
  filter: ApiFilter
  onBulk: (action: BulkAction) => void
  onExport: () => void
}

const none: Record<BulkAction, string> = {
  stop: 'All runs of this filter have ended.',
  retry: 'No run of this filter has ended.',
}

export function AllMenu({ total, filter, onBulk, onExport }: AllMenuProps) {
  const { unable } = useSession()
  const whyNot = (action: BulkAction) =>
    unable('runs:write') ?? (total === 0 || !narrowedTo(action, filter) ? none[action] : undefined)
  const all = counted(total, 'run')
  return (
    <Menu
      label="All runs that fit"
      trigger={
        <button type="button" className={style.order} aria-label={`All that fit: ${all}`}>
          {all}
          <Icon name="down" size={12} />
        </button>
      }
      items={[
        {
          label: 'Export CSV',
          icon: 'download',
          unable: total === 0 ? 'No run fits.' : undefined,
          onSelect: onExport,
        },
        { label: 'Stop all that fit', icon: 'stop', unable: whyNot('stop'), onSelect: () => onBulk('stop') },
        { label: 'Retry all that fit', icon: 'retry', unable: whyNot('retry'), onSelect: () => onBulk('retry') },
      ]}
    />
  )
}
