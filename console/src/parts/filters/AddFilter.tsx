// The button behind the chips that adds a filter to them, by click or by the key f.
import type { Ref } from 'react'
import { Icon } from '../../look/Icon.tsx'
import { classes } from '../../look/classes.ts'
import { Menu } from '../Menu.tsx'
import style from './filters.module.css'

interface AddFilterProps<Name extends string> {
  /** Gets the focus when a chip is closed. */
  button: Ref<HTMLButtonElement>
  /** Those that have no chip yet. */
  names: Name[]
  words: Record<Name, string>
  onAdd: (name: Name) => void
}

export function AddFilter<Name extends string>({ button, names, words, onAdd }: AddFilterProps<Name>) {
  return (
    <Menu
      label="Add a filter"
      trigger={
        <button ref={button} type="button" className={classes(style.chip, style.add)} aria-keyshortcuts="f">
          <Icon name="plus" size={13} />
          Filter
          <kbd aria-hidden>F</kbd>
        </button>
      }
      items={names.map((name) => ({ label: words[name], onSelect: () => onAdd(name) }))}
    />
  )
}
