// A few choices side by side, of which one holds. Each is a link: the choice is in the address.
import { Link, type LinkProps } from '@tanstack/react-router'
import style from './Switch.module.css'

export interface SwitchChoice {
  label: string
  isOpen: boolean
  link: LinkProps
}

export function Switch({ choices, label }: { choices: SwitchChoice[]; label: string }) {
  return (
    <nav className={style.switch} aria-label={label}>
      {choices.map(({ label: text, isOpen, link }) => (
        <Link
          key={text}
          {...link}
          replace
          activeOptions={{ exact: true }}
          activeProps={{}}
          aria-current={isOpen ? 'true' : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
