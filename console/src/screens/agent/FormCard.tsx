// A card beside the list of a tab that asks for some fields and sends them with one button, or with Enter.
import type { ReactNode } from 'react'
import { messageOf } from '../../app/client.ts'
import type { IconName } from '../../look/Icon.tsx'
import { Button, type ButtonKind } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { Problem } from '../../parts/Field.tsx'
import style from './FormCard.module.css'

interface FormCardProps {
  title: string
  /** Facts beside the title. */
  facts?: ReactNode
  /** What it is for. */
  what?: string
  /** The words on the button: `Set a gate`. */
  verb: string
  kind?: ButtonKind
  icon?: IconName
  /** Why it cannot be sent yet, as a sentence. */
  unable: string | undefined
  isBusy: boolean
  /** What the service said to the last try. */
  error: Error | null
  onSend: () => void
  /** Beside the button. */
  aside?: ReactNode
  children: ReactNode
}

export function FormCard(props: FormCardProps) {
  const { title, facts, what, verb, kind, icon, unable, isBusy, error, onSend, aside, children } = props
  return (
    <Card title={title} facts={facts}>
      <form
        className={style.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (unable === undefined) onSend()
        }}
      >
        {what && <p className={style.what}>{what}</p>}
        {children}
        {error && <Problem>{messageOf(error)}</Problem>}
        <div className={style.actions}>
          {aside}
          <Button type="submit" kind={kind} icon={icon} isBusy={isBusy} unable={unable}>
            {verb}
          </Button>
        </div>
      </form>
    </Card>
  )
}
