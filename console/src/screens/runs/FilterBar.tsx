// The filters of the list as chips: each opens its panel, a cross takes it away, "Filter" adds one.
import { lazy, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useKeys } from '../../app/keys.ts'
import { classes } from '../../look/classes.ts'
import { AddFilter } from '../../parts/filters/AddFilter.tsx'
import { FilterChip } from '../../parts/filters/FilterChip.tsx'
import style from '../../parts/filters/filters.module.css'
import { WordSearch } from '../../parts/filters/WordSearch.tsx'
import type { ChangeSearch } from './FilterEditor.tsx'
import { filterNames, type FilterName, type RunsSearch } from './search.ts'
import { useFilterWords } from './useFilterWords.ts'
import { filterWords } from './words.ts'

const FilterEditor = lazy(() => import('./FilterEditor.tsx'))

interface FilterBarProps {
  search: RunsSearch
  zone: string
  onChange: ChangeSearch
  /** What stands at the end of the line. */
  children: ReactNode
}

/** The words have a field of their own, and the status is always there. */
const asChips = filterNames.filter((name) => name !== 'search' && name !== 'status')

export function FilterBar({ search, zone, onChange, children }: FilterBarProps) {
  const [adding, setAdding] = useState<FilterName>()
  const add = useRef<HTMLButtonElement>(null)
  useKeys([{ keys: 'f', says: 'Add a filter', where: 'Runs', run: () => add.current?.click() }])
  const isFiltered = filterNames.some((name) => search[name] !== undefined)
  const chip = (name: FilterName) => (
    <Chip
      key={name}
      name={name}
      search={search}
      zone={zone}
      isAdded={name === adding}
      focusAfter={add}
      onChange={onChange}
      onClose={() => setAdding(undefined)}
    />
  )
  return (
    <section className={style.bar} aria-label="Filters">
      <div className={style.chips}>
        <WordSearch
          value={search.search}
          within="title, case and message"
          where="Runs"
          onChange={(words) => onChange({ search: words })}
        />
        {chip('status')}
        {asChips.filter((name) => search[name] !== undefined || name === adding).map(chip)}
        <AddFilter
          button={add}
          names={asChips.filter((name) => search[name] === undefined)}
          words={filterWords}
          onAdd={setAdding}
        />
        {isFiltered && (
          <button
            type="button"
            className={classes('link', style.clear)}
            onClick={() => onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
          >
            Clear
          </button>
        )}
      </div>
      <div className={style.end}>{children}</div>
    </section>
  )
}

interface ChipProps {
  name: FilterName
  search: RunsSearch
  zone: string
  isAdded: boolean
  focusAfter: RefObject<HTMLButtonElement | null>
  onChange: ChangeSearch
  onClose: () => void
}

function Chip({ name, search, zone, onChange, ...rest }: ChipProps) {
  const says = useFilterWords(name, search, zone)
  return (
    <FilterChip
      {...rest}
      name={filterWords[name]}
      says={says}
      isSet={search[name] !== undefined}
      isFixed={name === 'status'}
      onRemove={() => onChange({ [name]: undefined })}
    >
      {(close) => (
        <FilterEditor
          name={name}
          search={search}
          zone={zone}
          onChange={(changes, isWhole) => {
            onChange(changes)
            if (isWhole) close()
          }}
        />
      )}
    </FilterChip>
  )
}
