// The list of a menu, as it floats below its button.
import { Menu as Base } from '@base-ui/react/menu'
import type { RefObject } from 'react'
import { Icon } from '../look/Icon.tsx'
import type { MenuItem } from './Menu.tsx'
import style from './Menu.module.css'

interface MenuListProps {
  items: MenuItem[]
  label: string
  anchor: RefObject<HTMLElement | null>
  isOpen: boolean
  onClose: () => void
}

export default function MenuList({ items, label, anchor, isOpen, onClose }: MenuListProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()} modal={false}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={4} align="end" className={style.place}>
          <Base.Popup className={style.menu} aria-label={label} finalFocus={anchor}>
            {items.map((item, at) => (
              <Row key={at} item={item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** One that can be chosen or not says so to screen readers. */
function Row({ item }: { item: MenuItem }) {
  const { label, icon, keys, unable, isChecked, onSelect } = item
  const shared = { className: style.item, disabled: unable !== undefined, title: unable, onClick: onSelect }
  const inside = (
    <>
      <span className={style.label}>
        {label}
        {unable !== undefined && <span className={style.why}>{unable}</span>}
      </span>
      {keys && <kbd aria-hidden>{keys}</kbd>}
    </>
  )
  if (isChecked !== undefined)
    return (
      <Base.CheckboxItem {...shared} checked={isChecked} closeOnClick>
        {isChecked ? <Icon name="check" /> : <span className={style.blank} />}
        {inside}
      </Base.CheckboxItem>
    )
  return (
    <Base.Item {...shared}>
      {icon && <Icon name={icon} />}
      {inside}
    </Base.Item>
  )
}
