// The order of the cases, as a menu behind its words: every order that the API has.
import { Icon } from '../../look/Icon.tsx'
import { Menu } from '../../parts/Menu.tsx'
import style from '../runs/OrderMenu.module.css'
import type { ChangeSearch } from './FilterBar.tsx'
import type { QueueSearch } from './search.ts'

const orders = [
  { sort_by: 'created_at', sort_order: 'desc', says: 'newest first' },
  { sort_by: 'created_at', sort_order: 'asc', says: 'oldest first' },
  { sort_by: 'updated_at', sort_order: 'desc', says: 'last changed first' },
  { sort_by: 'updated_at', sort_order: 'asc', says: 'longest unchanged first' },
  { sort_by: 'postponed_to', sort_order: 'asc', says: 'next postponed first' },
  { sort_by: 'postponed_to', sort_order: 'desc', says: 'latest postponed first' },
] as const

export function OrderMenu({ search, onChange }: { search: QueueSearch; onChange: ChangeSearch }) {
  const isBoard = (search.tab ?? 'board') === 'board' && search.sort_by === undefined && search.sort_order === undefined
  const { sort_by = 'created_at', sort_order = 'desc' } = search
  const now = isBoard ? undefined : orders.find((one) => one.sort_by === sort_by && one.sort_order === sort_order)
  const says = now?.says ?? 'each column in its order'
  return (
    <Menu
      label="Order"
      trigger={
        <button type="button" className={style.order} aria-label={`Order: ${says}`}>
          {says}
          <Icon name="down" size={12} />
        </button>
      }
      items={orders.map((order) => ({
        label: order.says,
        isChecked: order === now,
        onSelect: () => onChange({ sort_by: order.sort_by, sort_order: order.sort_order }),
      }))}
    />
  )
}
