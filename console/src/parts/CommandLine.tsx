// A command as one types it, in a well, that copies with a click.
import { Icon } from '../look/Icon.tsx'
import style from './CommandLine.module.css'
import { useCopied } from './CopyText.tsx'

export function CommandLine({ text }: { text: string }) {
  const [isCopied, copyIt] = useCopied()
  return (
    <div className={style.line}>
      <code>{text}</code>
      <button type="button" onClick={() => void copyIt(text)} aria-label={isCopied ? 'Copied' : `Copy ${text}`}>
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </button>
    </div>
  )
}
