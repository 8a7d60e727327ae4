// A sentence that appears over what is pointed at or focused. What draws it is fetched when it is first wanted.
import {
  lazy,
  startTransition,
  Suspense,
  useRef,
  useState,
  type ElementType,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
} from 'react'
import { callOwn, giveTo } from './useTrigger.tsx'

const TooltipBubble = lazy(() => import('./TooltipBubble.tsx'))

const delayMs = 300

/** The child must be one element that takes a ref. */
export function Tooltip({ says, children }: { says: ReactNode; children: ReactElement<Record<string, unknown>> }) {
  const { type, props } = children
  const Type = type as ElementType
  const [state, setState] = useState<'never' | 'shown' | 'hidden'>('never')
  const anchor = useRef<HTMLElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = () => startTransition(() => setState('shown'))
  const hide = () => setState((before) => (before === 'never' ? before : 'hidden'))
  return (
    <>
      <Type
        {...props}
        aria-description={typeof says === 'string' ? says : undefined}
        ref={(found: HTMLElement | null) => {
          anchor.current = found
          giveTo(props['ref'], found)
        }}
        onPointerEnter={(event: SyntheticEvent) => {
          callOwn(props['onPointerEnter'], event)
          clearTimeout(timer.current)
          timer.current = setTimeout(show, delayMs)
        }}
        onPointerLeave={(event: SyntheticEvent) => {
          callOwn(props['onPointerLeave'], event)
          clearTimeout(timer.current)
          hide()
        }}
        onFocus={(event: SyntheticEvent<HTMLElement>) => {
          callOwn(props['onFocus'], event)
          if (event.currentTarget.matches(':focus-visible')) show()
        }}
        onBlur={(event: SyntheticEvent) => {
          callOwn(props['onBlur'], event)
          hide()
        }}
        onKeyDown={(event: SyntheticEvent<HTMLElement, KeyboardEvent>) => {
          callOwn(props['onKeyDown'], event)
          if (event.nativeEvent.key === 'Escape') hide()
        }}
      />
      {state !== 'never' && (
        <Suspense>
          <TooltipBubble says={says} anchor={anchor} isShown={state === 'shown'} onHide={hide} />
        </Suspense>
      )}
    </>
  )
}
