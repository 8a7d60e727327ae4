// A list of which one or several are chosen, with a field that narrows it where it is long. Arrow keys move, Enter chooses.
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { Icon } from '../look/Icon.tsx'
import style from './Choices.module.css'

export interface Choice {
  value: string
  label: string
  /** Before the label. */
  mark?: ReactNode
  /** After it. */
  detail?: string
}

interface ChoicesProps {
  choices: Choice[]
  chosen: string[]
  onChoose: (value: string) => void
  /** What the choices are, in the plural: `agents`. */
  what: string
  /** What is typed is asked of the service, which gave these choices. */
  onSearch?: (text: string) => void
}

/** More than these get a field to narrow them. */
const fewMax = 8

export function Choices({ choices, chosen, onChoose, what, onSearch }: ChoicesProps) {
  const [text, setText] = useState('')
  const [isLong] = useState(onSearch !== undefined || choices.length > fewMax)
  const words = text.toLowerCase().split(/\s+/)
  const fitting = onSearch
    ? choices
    : choices.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
  // a list that is asked for one thing, and left with it, has nothing to tick
  const hasTicks = onSearch === undefined || chosen.length > 0
  return (
    <div className={style.choices} role="group" aria-label={what} data-choices>
      {isLong && (
        <input
          type="search"
          className={style.find}
          aria-label={`Narrow the ${what}`}
          placeholder={`Find among ${what}`}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            onSearch?.(event.target.value)
          }}
          onKeyDown={(event) => {
            const [first] = fitting
            if (event.key === 'Enter' && first) onChoose(first.value)
            moveFocus(event)
          }}
        />
      )}
      <ul>
        {fitting.map(({ value, label, mark, detail }) => (
          <li key={value}>
            <button
              type="button"
              className={style.choice}
              aria-pressed={chosen.includes(value)}
              data-choice
              title={label}
              onKeyDown={moveFocus}
              onClick={() => onChoose(value)}
            >
              {hasTicks && (
                <span className={style.tick}>{chosen.includes(value) && <Icon name="check" size={14} />}</span>
              )}
              {mark}
              <span className={style.label}>{label}</span>
              {detail !== undefined && <span className={style.detail}>{detail}</span>}
            </button>
          </li>
        ))}
      </ul>
      {fitting.length === 0 && text !== '' && <p className={style.none}>None of the {what} is called so.</p>}
    </div>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const list = event.currentTarget.closest('[data-choices]')
  const buttons = [...(list?.querySelectorAll<HTMLElement>('[data-choice]') ?? [])]
  const now = buttons.findIndex((button) => button === document.activeElement)
  const next = buttons[now < 0 ? (step > 0 ? 0 : buttons.length - 1) : now + step]
  if (next) next.focus()
  else if (now === 0) list?.querySelector('input')?.focus()
  event.preventDefault()
}
