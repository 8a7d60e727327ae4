// A dialog that asks for some fields and sends them with one button, or with Enter.
import { useId, type ReactNode } from 'react'
import { messageOf } from '../app/client.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Problem } from './Field.tsx'
import style from './FormDialog.module.css'

interface FormDialogProps {
  title: string
  onClose: () => void
  /** The verb on the button: `Save`. */
  verb: string
  /** Why it cannot be sent yet, as a sentence. */
  unable?: string | undefined
  isBusy: boolean
  /** What the service said to the last try. */
  error?: unknown
  onSend: () => void
  width?: 'narrow' | 'usual' | 'wide'
  /** Beside the buttons. */
  aside?: ReactNode
  children: ReactNode
}

export function FormDialog(props: FormDialogProps) {
  const { title, onClose, verb, unable, isBusy, error, onSend, width = 'usual', aside, children } = props
  const formId = useId()
  const actions = (
    <>
      {aside && <span className={style.aside}>{aside}</span>}
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form={formId} kind="go" isBusy={isBusy} unable={unable}>
        {verb}
      </Button>
    </>
  )
  return (
    <Dialog isOpen onClose={onClose} title={title} actions={actions} width={width}>
      <form
        id={formId}
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (unable === undefined && !isBusy) onSend()
        }}
      >
        {children}
        {error !== undefined && error !== null && <Problem>{messageOf(error)}</Problem>}
      </form>
    </Dialog>
  )
}
