// A dialog: it traps focus, gives it back, and closes with Escape.
import { Dialog as Base } from '@base-ui/react/dialog'
import { useEffect, useRef, type ReactNode } from 'react'
import { Icon } from '../look/Icon.tsx'
import { classes } from '../look/classes.ts'
import { Button } from './Button.tsx'
import { visible } from './visibleText.ts'
import style from './Dialog.module.css'

interface DialogProps {
  isOpen: boolean
  onClose: () => void
  title: ReactNode
  children: ReactNode
  /** Buttons at its end. */
  actions?: ReactNode
  width?: 'narrow' | 'usual' | 'wide'
  /** Its fields come later. Until then the dialog has the focus, and gives it to the first of them. */
  isLoading?: boolean
}

export function Dialog({ isOpen, onClose, title, children, actions, width = 'usual', isLoading = false }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const isByTouch = useRef(false)
  const firstField = () => body.current?.querySelector<HTMLElement>('input, textarea, select, [data-choice]')
  const atFirst = (opened: string) => {
    // on a touch screen a field with the focus would open the keyboard over the dialog
    isByTouch.current = opened === 'touch'
    if (isByTouch.current) return true
    return isLoading ? popup.current : (firstField() ?? true)
  }
  useEffect(() => {
    // whoever has gone to a button in the meantime stays there
    if (!isLoading && !isByTouch.current && document.activeElement === popup.current) firstField()?.focus()
  }, [isLoading])
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={style.backdrop} />
        <Base.Popup ref={popup} className={classes(style.dialog, style[width])} initialFocus={atFirst}>
          <Base.Title className={style.title}>{typeof title === 'string' ? visible(title) : title}</Base.Title>
          <div ref={body} className={style.body}>
            {children}
          </div>
          {actions && <footer className={style.actions}>{actions}</footer>}
          {/* the last one, so that what a person came for has the focus first */}
          <Base.Close className={style.close} aria-label="Close">
            <Icon name="cross" />
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface ConfirmProps {
  isOpen: boolean
  onClose: () => void
  /** Names the thing: `Delete the agent Refund desk?` */
  title: string
  children: ReactNode
  /** The verb on the button: `Delete`. */
  verb: string
  isBusy?: boolean
  onConfirm: () => void
}

/** For what cannot be undone. */
export function Confirm({ isOpen, onClose, title, children, verb, isBusy, onConfirm }: ConfirmProps) {
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="no" isBusy={isBusy} onClick={onConfirm}>
        {verb}
      </Button>
    </>
  )
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} actions={actions} width="narrow">
      {children}
    </Dialog>
  )
}
