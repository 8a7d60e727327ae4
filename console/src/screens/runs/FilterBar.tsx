// The filters of the list as chips: each opens its panel, a cross takes it away, "Filter" adds one.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useKeys } from '../../app/keys.ts'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Popover } from '../../parts/Popover.tsx'
import { agentQuery } from '../../queries/agents.ts'
import { queueNamesQuery } from '../../queries/queues.ts'
import { membersQuery } from '../../queries/team.ts'
import style from './FilterBar.module.css'
import type { ChangeSearch } from './FilterEditor.tsx'
import { filterNames, statusesOf, type FilterName, type RunsSearch } from './search.ts'
import { timeWords } from './times.ts'
import { filterStatusWord, filterWords, issueWords, severityWords, sourceWords } from './words.ts'
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
  const { label, value } = useWords(name, search, zone)
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

interface Words {
  label: string
  value: string
}

/** `Agent is` and `Refund desk`. */
function useWords(name: FilterName, search: RunsSearch, zone: string): Words {
  const known = useNames(name, search)
  return said[name](search, zone, known ?? '…')
}

const said: Record<FilterName, (search: RunsSearch, zone: string, known: string) => Words> = {
  status: (search) => ({ label: 'Status is', value: statusesOf(search).map(filterStatusWord).join(', ') || 'any' }),
  agent_id: (_, __, known) => ({ label: 'Agent is', value: known }),
  since({ since }, zone) {
    const value = since === undefined ? '…' : timeWords(since, zone)
    if (since === 'today') return { label: 'Started', value }
    return { label: value.startsWith('the ') ? 'Started in' : 'Started since', value }
  },
  until: ({ until }, zone) => ({
    label: filterWords.until,
    value: until === undefined ? '…' : timeWords(until, zone),
  }),
  user_id: (_, __, known) => ({ label: filterWords.user_id, value: known }),
  case_queue_id: (_, __, known) => ({ label: 'Queue is', value: known }),
  source: ({ source }) => ({ label: 'Source is', value: source === undefined ? '…' : sourceWords[source] }),
  search: ({ search }) => ({ label: filterWords.search, value: search ?? '…' }),
  has_issues: ({ has_issues }) => ({
    label: filterWords.has_issues,
    value: has_issues === undefined ? '…' : issueWords[has_issues],
  }),
  issue_severity: ({ issue_severity }) => ({
    label: 'Severity is',
    value: issue_severity === undefined ? '…' : severityWords[issue_severity],
  }),
}

/** The name behind an id; the id itself where nobody knows it. */
function useNames(name: FilterName, { agent_id, user_id, case_queue_id }: RunsSearch): string | undefined {
  const agent = useQuery({ ...agentQuery(agent_id ?? ''), enabled: name === 'agent_id' && agent_id !== undefined })
  const members = useQuery({ ...membersQuery, enabled: name === 'user_id' && user_id !== undefined })
  const queues = useQuery({ ...queueNamesQuery, enabled: name === 'case_queue_id' && case_queue_id !== undefined })
  if (name === 'agent_id') return agent.data?.name ?? agent_id
  if (name === 'user_id') return members.data?.members.find(({ id }) => id === user_id)?.name ?? user_id
  if (name === 'case_queue_id') return queues.data?.find(({ id }) => id === case_queue_id)?.name ?? case_queue_id
  return undefined
}
