// A button that opens something that floats. The code of what floats comes when somebody is about to use it, which keeps the first load small.
import { useRef, type ElementType, type ReactElement, type Ref, type RefObject, type SyntheticEvent } from 'react'

export type TriggerElement = ReactElement<Record<string, unknown>>

interface TriggerOptions {
  kind: 'menu' | 'dialog'
  isOpen: boolean
  onOpen: () => void
  onClose: () => void
  /** Fetches the code; called as soon as the button is pointed at or focused. */
  load: () => Promise<unknown>
}

/** The button as it is drawn, and where it is. */
export function useTrigger(
  { type, props }: TriggerElement,
  { kind, isOpen, onOpen, onClose, load }: TriggerOptions,
): [TriggerElement, RefObject<HTMLElement | null>] {
  const Type = type as ElementType
  const anchor = useRef<HTMLElement>(null)
  /** A press outside closes what floats before the click comes: then the click must not open it again. */
  const wasOpen = useRef(false)
  // what could not be fetched now is fetched, and its failure told, when it is wanted
  const fetchIt = () => void load().catch(() => undefined)
  const element = (
    <Type
      {...props}
      aria-haspopup={kind}
      aria-expanded={isOpen}
      ref={(found: HTMLElement | null) => {
        anchor.current = found
        giveTo(props['ref'], found)
      }}
      onPointerEnter={(event: SyntheticEvent) => {
        callOwn(props['onPointerEnter'], event)
        fetchIt()
      }}
      onFocus={(event: SyntheticEvent) => {
        callOwn(props['onFocus'], event)
        fetchIt()
      }}
      onPointerDown={(event: SyntheticEvent) => {
        callOwn(props['onPointerDown'], event)
        wasOpen.current = isOpen
      }}
      onClick={(event: SyntheticEvent) => {
        callOwn(props['onClick'], event)
        if (wasOpen.current || isOpen) onClose()
        else onOpen()
        wasOpen.current = false
      }}
      onKeyDown={(event: SyntheticEvent<HTMLElement, KeyboardEvent>) => {
        callOwn(props['onKeyDown'], event)
        if (kind !== 'menu' || event.nativeEvent.key !== 'ArrowDown' || isOpen) return
        event.preventDefault()
        onOpen()
      }}
    />
  )
  return [element, anchor]
}

/** What the element would have done by itself. */
export function callOwn(own: unknown, event: SyntheticEvent): void {
  if (typeof own === 'function') (own as (event: SyntheticEvent) => void)(event)
}

export function giveTo(ref: unknown, element: HTMLElement | null): void {
  if (typeof ref === 'function') (ref as (found: HTMLElement | null) => void)(element)
  else if (ref) (ref as Exclude<Ref<HTMLElement>, null | ((found: HTMLElement | null) => void)>).current = element
}
