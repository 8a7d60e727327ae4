// What each list of given things gets from the screen.
import type { ReactNode } from 'react'

export interface TabProps {
  /** The button that adds one. */
  add: ReactNode
  /** Why nothing can be changed; undefined: it can. */
  unable: string | undefined
  /** Closes the open dialog. */
  close: () => void
}
