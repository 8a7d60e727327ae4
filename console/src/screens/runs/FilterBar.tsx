// The filters of the list as chips: each opens its panel, a cross takes it away, "Filter" adds one.
import { lazy, Suspense, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useKeys } from '../../app/keys.ts'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Popover } from '../../parts/Popover.tsx'
import style from './FilterBar.module.css'
import type { ChangeSearch } from './FilterEditor.tsx'
import { filterNames, type FilterName, type RunsSearch } from './search.ts'
import { useFilterWords } from './useFilterWords.ts'
import { filterWords } from './words.ts'
import { WordSearch } from './WordSearch.tsx'

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
    <FilterChip
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
        <WordSearch value={search.search} onChange={(words) => onChange({ search: words })} />
        {chip('status')}
        {asChips.filter((name) => search[name] !== undefined || name === adding).map(chip)}
        <Menu
          label="Add a filter"
          trigger={
            <button ref={add} type="button" className={classes(style.chip, style.add)} aria-keyshortcuts="f">
              <Icon name="plus" size={13} />
              Filter
              <kbd aria-hidden>F</kbd>
            </button>
          }
          items={asChips
            .filter((name) => search[name] === undefined)
            .map((name) => ({ label: filterWords[name], onSelect: () => setAdding(name) }))}
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

interface FilterChipProps {
  name: FilterName
  search: RunsSearch
  zone: string
  /** It was just added, and its panel opens by itself. */
  isAdded: boolean
  focusAfter: RefObject<HTMLButtonElement | null>
  onChange: ChangeSearch
  onClose: () => void
}

function FilterChip({ name, search, zone, isAdded, focusAfter, onChange, onClose }: FilterChipProps) {
  const [isOpen, setOpen] = useState(isAdded)
  const isSet = search[name] !== undefined
  const { label, value } = useFilterWords(name, search, zone)
  const close = () => {
    setOpen(false)
    onClose()
  }
  const says = `${label} ${value}`
  return (
    <span className={style.chip}>
      <Popover
        isOpen={isOpen}
        onOpenChange={(open) => (open ? setOpen(true) : close())}
        label={filterWords[name]}
        {...(!isSet && name !== 'status' && { focusAfter })}
        trigger={
          <button type="button" title={says} aria-label={`Filter: ${says}`}>
            {label} <b className="cut">{value}</b>
            <Icon name="down" size={13} />
          </button>
        }
      >
        <Suspense>
          <FilterEditor
            name={name}
            search={search}
            zone={zone}
            onChange={(changes, isWhole) => {
              onChange(changes)
              if (isWhole) close()
            }}
          />
        </Suspense>
      </Popover>
      {isSet && (
        <button
          type="button"
          className={style.remove}
          aria-label={`Remove the filter ${filterWords[name]}`}
          onClick={() => {
            onChange({ [name]: undefined })
            focusAfter.current?.focus()
          }}
        >
          <Icon name="cross" size={13} />
        </button>
      )}
    </span>
  )
}
