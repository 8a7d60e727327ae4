// One filter of a list as a chip: a click opens its panel, a cross takes it away.
import { Suspense, useState, type ReactNode, type RefObject } from 'react'
import { Icon } from '../../look/Icon.tsx'
import { Popover } from '../Popover.tsx'
import style from './filters.module.css'

interface FilterChipProps {
  /** What it narrows by: `Agent`. */
  name: string
  /** `Agent is` and `Refund desk`. */
  says: { label: string; value: string }
  isSet: boolean
  /** It is there whether it is set or not. */
  isFixed?: boolean
  /** It was just added, and its panel opens by itself. */
  isAdded: boolean
  focusAfter: RefObject<HTMLButtonElement | null>
  onRemove: () => void
  onClose: () => void
  /** What is in its panel. */
  children: (close: () => void) => ReactNode
}

export function FilterChip(props: FilterChipProps) {
  const { name, says, isSet, isFixed = false, isAdded, focusAfter, onRemove, onClose, children } = props
  const [isOpen, setOpen] = useState(isAdded)
  const close = () => {
    setOpen(false)
    onClose()
  }
  const words = `${says.label} ${says.value}`
  return (
    <span className={style.chip}>
      <Popover
        isOpen={isOpen}
        onOpenChange={(open) => (open ? setOpen(true) : close())}
        label={name}
        {...(!isSet && !isFixed && { focusAfter })}
        trigger={
          <button type="button" title={words} aria-label={`Filter: ${words}`}>
            {says.label} <b className="cut">{says.value}</b>
            <Icon name="down" size={13} />
          </button>
        }
      >
        <Suspense>{children(close)}</Suspense>
      </Popover>
      {isSet && (
        <button
          type="button"
          className={style.remove}
          aria-label={`Remove the filter ${name}`}
          onClick={() => {
            onRemove()
            focusAfter.current?.focus()
          }}
        >
          <Icon name="cross" size={13} />
        </button>
      )}
    </span>
  )
}
