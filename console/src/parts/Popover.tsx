// A small panel that opens below its button: for choosing and typing, where a menu of actions is too little. Its code comes with the first wish.
import { lazy, startTransition, Suspense, useState, type ReactNode, type RefObject } from 'react'
import { useTrigger, type TriggerElement } from './useTrigger.tsx'

interface PopoverProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  /** One button element. */
  trigger: TriggerElement
  /** What it is for, for screen readers. */
  label: string
  /** Where focus goes when it closes; without it, back to its button. */
  focusAfter?: RefObject<HTMLElement | null>
  children: ReactNode
}

const load = () => import('./PopoverPanel.tsx')
const PopoverPanel = lazy(load)

export function Popover({ isOpen, onOpenChange, trigger, label, focusAfter, children }: PopoverProps) {
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (isOpen && !wasOpen) setWasOpen(true)
  const [button, anchor] = useTrigger(trigger, {
    kind: 'dialog',
    isOpen,
    onOpen: () => startTransition(() => onOpenChange(true)),
    onClose: () => onOpenChange(false),
    load,
  })
  return (
    <>
      {button}
      {wasOpen && (
        <Suspense>
          <PopoverPanel
            label={label}
            anchor={anchor}
            focusAfter={focusAfter ?? anchor}
            isOpen={isOpen}
            onClose={() => onOpenChange(false)}
          >
            {children}
          </PopoverPanel>
        </Suspense>
      )}
    </>
  )
}
