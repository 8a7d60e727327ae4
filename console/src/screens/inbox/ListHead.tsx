// Above the list: its order, whose requests it has, and whether the browser tells of new ones.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../../look/Icon.tsx'
import { count, counted } from '../../parts/amounts.ts'
import { Choices } from '../../parts/Choices.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Popover } from '../../parts/Popover.tsx'
import { visible } from '../../parts/visibleText.ts'
import { agentNamesQuery } from '../../queries/agents.ts'
import style from './InboxScreen.module.css'
import { NotifySwitch } from './NotifySwitch.tsx'
import type { InboxSearch } from './search.ts'

interface Props {
  search: InboxSearch
  /** How many came since the list was opened. */
  arrived: number
  onShow: () => void
  onChange: (changes: InboxSearch) => void
}

const all = 'all'

export function ListHead({ search, arrived, onShow, onChange }: Props) {
  const { list = 'waiting', sort = 'deadline' } = search
  const isWaiting = list === 'waiting' || list === 'mine'
  return (
    <div className={style.listHead}>
      {isWaiting ? (
        <Menu
          label="Order"
          trigger={
            <button type="button" className={style.quiet}>
              {sort === 'deadline' ? 'Closest deadline first' : 'Longest waiting first'}
              <Icon name="down" size={14} />
            </button>
          }
          items={[
            {
              label: 'Closest deadline first',
              isChecked: sort === 'deadline',
              onSelect: () => onChange({ sort: undefined }),
            },
            {
              label: 'Longest waiting first',
              isChecked: sort === 'oldest',
              onSelect: () => onChange({ sort: 'oldest' }),
            },
          ]}
        />
      ) : (
        <span>{list === 'done' ? 'Last closed first' : 'Put aside in this browser'}</span>
      )}
      <span className={style.arrived} aria-live="polite">
        {arrived > 0 && (
          <button type="button" title={`${counted(arrived, 'new request')}, show`} onClick={onShow}>
            <Icon name="up" size={13} />
            {count(arrived)} new<span className="forReaders"> {arrived === 1 ? 'request' : 'requests'}, show</span>
          </button>
        )}
      </span>
      {isWaiting && <AgentFilter agentId={search.agent_id} onChange={(agent_id) => onChange({ agent_id })} />}
      <NotifySwitch />
    </div>
  )
}

function AgentFilter({ agentId, onChange }: { agentId: string | undefined; onChange: (id?: string) => void }) {
  const [isOpen, setOpen] = useState(false)
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const name = agentId === undefined ? 'All agents' : (agents.find(({ id }) => id === agentId)?.name ?? 'One agent')
  return (
    <Popover
      isOpen={isOpen}
      onOpenChange={setOpen}
      label="Of which agent"
      trigger={
        <button type="button" className={style.quiet} title={visible(name)}>
          <span className={style.agentName}>{visible(name)}</span>
          <Icon name="down" size={14} />
        </button>
      }
    >
      <Choices
        what="agents"
        choices={[
          { value: all, label: 'All agents' },
          ...agents.map(({ id, name: called }) => ({ value: id, label: visible(called) })),
        ]}
        chosen={[agentId ?? all]}
        onChoose={(value) => {
          setOpen(false)
          onChange(value === all ? undefined : value)
        }}
      />
    </Popover>
  )
}
