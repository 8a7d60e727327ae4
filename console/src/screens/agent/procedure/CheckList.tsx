// Several of a list, chosen by ticks.
import type { ReactNode } from 'react'
import { Problem } from '../../../parts/Field.tsx'
import style from './SettingsPanel.module.css'

interface CheckListProps {
  label: string
  choices: { value: string; label: string; detail: string }[]
  chosen: string[]
  problem: string | undefined
  empty?: ReactNode
  onChange: (chosen: string[]) => void
}

export function CheckList({ label, choices, chosen, problem, empty, onChange }: CheckListProps) {
  return (
    <div className={style.checks} role="group" aria-label={label}>
      {choices.length === 0 && <p className="dim small">{empty ?? 'Nothing to choose.'}</p>}
      {choices.map(({ value, label: name, detail }) => (
        <label key={value} title={detail}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          <span className="cut">{name}</span>
          <small className="cut">{detail}</small>
        </label>
      ))}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  )
}
