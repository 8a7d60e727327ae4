// The box that selects every row of a page. On a phone, where the other heads of a table are hidden, it says so in words.
import style from './SelectAll.module.css'
import type { Selection } from './useSelection.ts'

interface SelectAllProps {
  ids: string[]
  selection: Selection
  /** What the rows are: `runs`. */
  what: string
}

export function SelectAll({ ids, selection, what }: SelectAllProps) {
  const chosen = ids.filter((id) => selection.ids.has(id)).length
  return (
    <label className={style.all}>
      <input
        type="checkbox"
        aria-label={`Select all ${what} of this page`}
        checked={chosen > 0 && chosen === ids.length}
        ref={(box) => {
          if (box) box.indeterminate = chosen > 0 && chosen < ids.length
        }}
        onChange={() => selection.setAll(ids, chosen < ids.length)}
      />
      <span>Select all</span>
    </label>
  )
}
