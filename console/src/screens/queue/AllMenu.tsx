// What can be done to all cases that fit the filter, on whatever page they are.
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { counted } from '../../parts/amounts.ts'
import { Menu } from '../../parts/Menu.tsx'
import style from '../runs/OrderMenu.module.css'
import { bulkIcons, bulkKinds, bulkVerbs, type BulkKind } from './bulk/kinds.ts'

export function AllMenu({ total, onBulk }: { total: number; onBulk: (kind: BulkKind) => void }) {
  const { unable } = useSession()
  const all = counted(total, 'case')
  const cannot = unable('queues:write') ?? (total === 0 ? 'No case fits.' : undefined)
  return (
    <Menu
      label="All cases that fit"
      trigger={
        <button type="button" className={style.order} aria-label={`All that fit: ${all}`}>
          {all}
          <Icon name="down" size={12} />
        </button>
      }
      items={bulkKinds.map((kind) => ({
        label: `${bulkVerbs[kind]} all that fit…`,
        icon: bulkIcons[kind],
        unable: cannot,
        onSelect: () => onBulk(kind),
      }))}
    />
  )
}
