// A filter of a list with a few values: what it holds is on its button, and choosing it again takes it away.
import { Icon } from '../look/Icon.tsx'
import { classes } from '../look/classes.ts'
import style from './ChoiceFilter.module.css'
import { Menu } from './Menu.tsx'

interface ChoiceFilterProps {
  /** What is chosen: `Kind`. */
  label: string
  /** Where nothing is chosen: `all`. */
  none: string
  choices: { value: string; label: string }[]
  value: string | undefined
  onChange: (value: string | undefined) => void
}

export function ChoiceFilter({ label, none, choices, value, onChange }: ChoiceFilterProps) {
  const shown = choices.find((choice) => choice.value === value)?.label ?? value ?? none
  return (
    <Menu
      label={label}
      trigger={
        <button
          type="button"
          className={classes(style.filter, value !== undefined && style.set)}
          aria-label={`${label}: ${shown}`}
          title={shown}
        >
          {label} <b className="cut">{shown}</b>
          <Icon name="down" size={13} />
        </button>
      }
      items={[{ value: undefined, label: none }, ...choices].map((choice) => ({
        label: choice.label,
        isChecked: choice.value === value,
        onSelect: () => onChange(choice.value),
      }))}
    />
  )
}
