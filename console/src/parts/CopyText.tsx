// A text that copies with a click: an id, a command, a link.
import { useState } from 'react'
import { Icon } from '../look/Icon.tsx'
import { classes } from '../look/classes.ts'
import style from './CopyText.module.css'

/** How long the mark stays that says that it was copied. */
const shownMs = 1600

/** A page without TLS has no clipboard; a selection that is copied works everywhere. */
export async function copy(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

export function useCopied(): [boolean, (text: string) => Promise<void>] {
  const [isCopied, setCopied] = useState(false)
  return [
    isCopied,
    async (text) => {
      await copy(text)
      setCopied(true)
      setTimeout(() => setCopied(false), shownMs)
    },
  ]
}

/** `what` is the kind of text, for screen readers: `run id`. `shown` is what stands for it. */
export function CopyText({ text, what, shown = text }: { text: string; what: string; shown?: string }) {
  const [isCopied, copyIt] = useCopied()
  return (
    <button
      type="button"
      className={classes(style.copy, isCopied && style.copied)}
      title={`Copy ${what} ${text}`}
      aria-label={isCopied ? `Copied ${what}` : `Copy ${what} ${shown}`}
      onClick={() => void copyIt(text)}
    >
      {shown !== '' && <code>{shown}</code>}
      <Icon name={isCopied ? 'check' : 'copy'} size={13} />
    </button>
  )
}
