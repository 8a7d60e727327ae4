// The filters of the cases as chips, the saved views, how many fit, and their order.
import type { Queue } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { lazy, useRef, useState } from 'react'
import { useKeys } from '../../app/keys.ts'
import { classes } from '../../look/classes.ts'
import { AddFilter } from '../../parts/filters/AddFilter.tsx'
import { FilterChip } from '../../parts/filters/FilterChip.tsx'
import style from '../../parts/filters/filters.module.css'
import { WordSearch } from '../../parts/filters/WordSearch.tsx'
import { caseListQuery } from '../../queries/queues.ts'
import { AllMenu } from './AllMenu.tsx'
import { useChoice } from './useChoice.ts'
import type { CasesViewProps } from './Cases.tsx'
import { filterNamesInWords, filterWords } from './filterWords.ts'
import { OrderMenu } from './OrderMenu.tsx'
import { filterNames, type FilterName, type QueueSearch } from './search.ts'
import { Views } from './Views.tsx'

const FilterEditor = lazy(() => import('./FilterEditor.tsx'))

export type ChangeSearch = (changes: Partial<QueueSearch>) => void

interface FilterBarProps {
  queue: Queue
  search: QueueSearch
  zone: string
  onChange: ChangeSearch
  onBulk: CasesViewProps['onBulk']
}

/** The words have a field of their own, and the status is always there. */
const asChips = filterNames.filter((name) => name !== 'search' && name !== 'status')

export const nothingChosen = Object.fromEntries(filterNames.map((name) => [name, undefined]))

export function FilterBar({ queue, search, zone, onChange, onBulk }: FilterBarProps) {
  const [adding, setAdding] = useState<FilterName>()
  const add = useRef<HTMLButtonElement>(null)
  const choice = useChoice(search, zone)
  const { data } = useQuery(caseListQuery(queue.id, { ...choice, limit: 1 }))
  useKeys([{ keys: 'f', says: 'Add a filter', where: 'Cases', run: () => add.current?.click() }])
  const isFiltered = filterNames.some((name) => search[name] !== undefined)
  const chip = (name: FilterName) => (
    <FilterChip
      key={name}
      name={filterNamesInWords[name]}
      says={filterWords(name, search, zone)}
      isSet={search[name] !== undefined}
      isFixed={name === 'status'}
      isAdded={name === adding}
      focusAfter={add}
      onRemove={() => onChange({ [name]: undefined })}
      onClose={() => setAdding(undefined)}
    >
      {(close) => (
        <FilterEditor
          name={name}
          queueId={queue.id}
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
  return (
    <section className={style.bar} aria-label="Filters">
      <div className={style.chips}>
        <WordSearch
          value={search.search}
          within="title and data"
          where="Cases"
          onChange={(words) => onChange({ search: words })}
        />
        {chip('status')}
        {asChips.filter((name) => search[name] !== undefined || name === adding).map(chip)}
        <AddFilter
          button={add}
          names={asChips.filter((name) => search[name] === undefined)}
          words={filterNamesInWords}
          onAdd={setAdding}
        />
        {isFiltered && (
          <button type="button" className={classes('link', style.clear)} onClick={() => onChange(nothingChosen)}>
            Clear
          </button>
        )}
      </div>
      <div className={style.end}>
        <Views queueId={queue.id} search={search} />
        {data && (
          <>
            <span aria-hidden>·</span>
            <span aria-live="polite">
              <AllMenu
                total={data.total}
                onBulk={(kind) => onBulk(kind, { choice, total: data.total, search, zone })}
              />
            </span>
          </>
        )}
        <span aria-hidden>·</span>
        <OrderMenu search={search} onChange={onChange} />
      </div>
    </section>
  )
}
