// On a phone what is selected comes up from the bottom edge, over the page.
import { Dialog } from '@base-ui/react/dialog'
import { useRef, type ReactNode } from 'react'
import style from './Sheet.module.css'

export function Sheet({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={style.backdrop} />
        <Dialog.Popup className={style.sheet} aria-label={label} ref={popup} tabIndex={-1} initialFocus={popup}>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
