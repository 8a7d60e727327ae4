// The order of the list, as a menu behind its words: every order that the API has.
import { Icon } from '../../look/Icon.tsx'
import { Menu } from '../../parts/Menu.tsx'
import type { ChangeSearch } from './FilterEditor.tsx'
import style from './OrderMenu.module.css'
import type { RunsSearch } from './search.ts'

const orders = [
  { sort_by: 'created_at', sort_order: 'desc', says: 'newest first' },
  { sort_by: 'created_at', sort_order: 'asc', says: 'oldest first' },
  { sort_by: 'completed_at', sort_order: 'desc', says: 'latest end first' },
  { sort_by: 'completed_at', sort_order: 'asc', says: 'earliest end first' },
  { sort_by: 'run_number', sort_order: 'desc', says: 'highest number first' },
  { sort_by: 'run_number', sort_order: 'asc', says: 'lowest number first' },
] as const

export function OrderMenu({ search, onChange }: { search: RunsSearch; onChange: ChangeSearch }) {
  const { sort_by = 'created_at', sort_order = 'desc' } = search
  const now = orders.find((order) => order.sort_by === sort_by && order.sort_order === sort_order)
  return (
    <Menu
      label="Order"
      trigger={
        <button type="button" className={style.order} aria-label={`Order: ${now?.says ?? ''}`}>
          {now?.says}
          <Icon name="down" size={12} />
        </button>
      }
      items={orders.map((order) => ({
        label: order.says,
        isChecked: order === now,
        onSelect: () =>
          onChange({
            sort_by: order.sort_by === 'created_at' ? undefined : order.sort_by,
            sort_order: order.sort_order === 'desc' ? undefined : order.sort_order,
          }),
      }))}
    />
  )
}
