// The panel of a popover, as it floats below its button.
import { Popover as Base } from '@base-ui/react/popover'
import type { ReactNode, RefObject } from 'react'
import style from './Popover.module.css'

interface PopoverPanelProps {
  label: string
  anchor: RefObject<HTMLElement | null>
  focusAfter: RefObject<HTMLElement | null>
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}

export default function PopoverPanel({ label, anchor, focusAfter, isOpen, onClose, children }: PopoverPanelProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={4} align="start" className={style.place}>
          <Base.Popup className={style.popover} aria-label={label} finalFocus={focusAfter}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
