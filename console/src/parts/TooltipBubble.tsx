// The bubble of a tooltip.
import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactNode, RefObject } from 'react'
import style from './Tooltip.module.css'

interface TooltipBubbleProps {
  says: ReactNode
  anchor: RefObject<HTMLElement | null>
  isShown: boolean
  onHide: () => void
}

export default function TooltipBubble({ says, anchor, isShown, onHide }: TooltipBubbleProps) {
  return (
    <Base.Root open={isShown} onOpenChange={(open) => !open && onHide()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={6} className={style.place}>
          <Base.Popup className={style.tooltip}>{says}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
