// A menu of actions behind a button. The menu itself is fetched when it is first wanted.
import { lazy, startTransition, Suspense, useState, type ReactNode } from 'react'
import type { IconName } from '../look/Icon.tsx'
import { useTrigger, type TriggerElement } from './useTrigger.tsx'

export interface MenuItem {
  label: ReactNode
  icon?: IconName
  /** Keys that do the same. */
  keys?: string
  /** Why it cannot be chosen; undefined: it can. */
  unable?: string | undefined
  isChecked?: boolean
  onSelect: () => void
}

const load = () => import('./MenuList.tsx')
const MenuList = lazy(load)

/** `trigger` is one button element. */
export function Menu({ trigger, items, label }: { trigger: TriggerElement; items: MenuItem[]; label: string }) {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never')
  const isOpen = state === 'open'
  const [button, anchor] = useTrigger(trigger, {
    kind: 'menu',
    isOpen,
    onOpen: () => startTransition(() => setState('open')),
    onClose: () => setState('closed'),
    load,
  })
  return (
    <>
      {button}
      {state !== 'never' && (
        <Suspense>
          <MenuList items={items} label={label} anchor={anchor} isOpen={isOpen} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  )
}
