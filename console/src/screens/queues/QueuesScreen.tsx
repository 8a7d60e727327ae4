// The queues of the team: how many cases of each are where.
import type { Queue } from '@runyard/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRef, useState, type RefObject } from 'react'
import { Bar } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { count, counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { caseShapes, caseStatuses, caseStatusWords } from '../../parts/case/words.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { WordSearch } from '../../parts/filters/WordSearch.tsx'
import { FootBar } from '../../parts/FootBar.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import table from '../../parts/Table.module.css'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { queueListQuery } from '../../queries/queues.ts'
import { DeleteQueue } from './DeleteQueue.tsx'
import { QueueDialog } from './QueueDialog.tsx'
import style from './QueuesScreen.module.css'

const route = getRouteApi('/frame/queues')
const size = 100
const shownKeys = [
  { keys: ['j', 'k'], says: 'move' },
  { keys: ['Enter'], says: 'open' },
  { keys: ['?'], says: 'all keys' },
]

export function QueuesScreen() {
  const { unable } = useSession()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const page = Math.max(1, search.page ?? 1)
  const input = {
    limit: size,
    offset: (page - 1) * size,
    ...(search.search !== undefined && { search: search.search }),
  }
  const queues = useQuery({ ...queueListQuery(input), placeholderData: keepPreviousData })
  const rows = useRef<HTMLTableElement>(null)
  const cannot = unable('queues:write')
  const setOpen = (isOpen: boolean) =>
    void navigate({ search: (now) => ({ ...now, new: isOpen ? true : undefined }), replace: !isOpen })
  useCommands([{ id: 'new-queue', label: 'New queue', icon: 'plus', unable: cannot, run: () => setOpen(true) }])
  useRowKeys(rows, () => cannot === undefined && setOpen(true))
  const make = (
    <Button kind="go" icon="plus" unable={cannot} onClick={() => setOpen(true)}>
      New queue
    </Button>
  )
  return (
    <>
      <Bar title="Queues">
        <span className={style.wide}>
          <CopyAs operation="listQueues" input={input} />
        </span>
        {make}
      </Bar>
      <main className={style.main}>
        <div className={style.filters}>
          <WordSearch
            value={search.search}
            within="name and description"
            where="Queues"
            onChange={(words) => void navigate({ search: words === undefined ? {} : { search: words }, replace: true })}
          />
          {queues.data && (
            <span className={style.total} aria-live="polite">
              {counted(queues.data.total, 'queue')} · oldest first
            </span>
          )}
        </div>
        <div className={style.scroll}>
          <Shown query={queues} what="queues" rows={8}>
            {({ queues: found }) =>
              found.length === 0 ? (
                search.search === undefined ? (
                  <Empty
                    icon="queues"
                    title="No queue yet"
                    action={make}
                    command='runyard call createQueue --name "Refunds"'
                  >
                    A queue holds cases: an invoice to check, a refund to decide. Agents and people take them one by
                    one, and the timeline of a case says who did what, when and why.
                  </Empty>
                ) : (
                  <Empty icon="search" title="No queue has these words in its name or description">
                    <Link className="link" to="/queues">
                      Show all queues
                    </Link>
                  </Empty>
                )
              ) : (
                <table ref={rows} className={`${table.table} ${style.table}`} aria-label="Queues">
                  <thead>
                    <tr>
                      <th scope="col">Queue</th>
                      {caseStatuses.map((status) => (
                        <th key={status} scope="col" className={table.number}>
                          {caseStatusWords[status]}
                        </th>
                      ))}
                      <th scope="col" className={table.number}>
                        At once
                      </th>
                      <th scope="col">Made</th>
                      <th scope="col">
                        <span className="forReaders">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {found.map((queue) => (
                      <Row key={queue.id} queue={queue} />
                    ))}
                  </tbody>
                </table>
              )
            }
          </Shown>
        </div>
        {queues.data && queues.data.total > size && (
          <FootBar
            page={page}
            size={size}
            shown={queues.data.queues.length}
            total={queues.data.total}
            keys={shownKeys}
            linkTo={(to) => ({ to: '/queues', search: { ...search, page: to } })}
          />
        )}
      </main>
      {search.new && <QueueDialog queue={undefined} onClose={() => setOpen(false)} />}
    </>
  )
}

function Row({ queue }: { queue: Queue }) {
  const { unable } = useSession()
  const [opened, setOpened] = useState<'edit' | 'delete'>()
  const cannot = unable('queues:write')
  const close = () => setOpened(undefined)
  const { id, name, description, counts, concurrency, created_at } = queue
  return (
    <tr data-queue={id}>
      <td className={style.name}>
        <span className={style.nameLine}>
          <Link className={table.main} to="/queues/$queueId" params={{ queueId: id }} title={visible(name)}>
            {visible(name)}
          </Link>
          <CopyText text={id} what="queue id" shown="" />
        </span>
        {description !== null && <span className={style.about}>{visible(description)}</span>}
      </td>
      {caseStatuses.map((status) => (
        <td key={status} className={table.number} data-label={caseStatusWords[status]}>
          <Link
            className={style[status === 'failed' || status === 'needs_input' ? status : 'plain']}
            data-none={counts[status] === 0 || undefined}
            to="/queues/$queueId"
            params={{ queueId: id }}
            search={{ tab: 'table', status }}
            aria-label={`${counts[status]} ${caseStatusWords[status].toLowerCase()}, ${visible(name)}`}
          >
            {counts[status] > 0 && <StatusShape shape={caseShapes[status]} size={13} />}
            {count(counts[status])}
          </Link>
        </td>
      ))}
      <td className={table.number} data-label="At once">
        {concurrency === null ? <span className="dim">any</span> : count(concurrency)}
      </td>
      <td className={style.made} data-label="Made">
        <Time at={created_at} />
      </td>
      <td className={table.acts}>
        <Menu
          label={`Queue ${visible(name)}`}
          trigger={<Button kind="quiet" icon="more" aria-label={`Actions of the queue ${visible(name)}`} />}
          items={[
            { label: 'Change…', icon: 'edit', unable: cannot, onSelect: () => setOpened('edit') },
            { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => setOpened('delete') },
          ]}
        />
        {opened === 'edit' && <QueueDialog queue={queue} onClose={close} />}
        {opened === 'delete' && <DeleteQueue queue={queue} onClose={close} />}
      </td>
    </tr>
  )
}

/** j and k move from name to name, Enter opens as it does every link. */
function useRowKeys(rows: RefObject<HTMLTableElement | null>, onNew: () => void): void {
  const last = useRef(-1)
  function move(step: number) {
    const links = [...(rows.current?.querySelectorAll<HTMLElement>('tr[data-queue] > td:first-child a') ?? [])]
    const now = links.findIndex((link) => link === document.activeElement)
    const next = Math.min(links.length - 1, Math.max(0, (now < 0 ? last.current : now) + step))
    last.current = next
    links[next]?.focus()
  }
  useKeys([
    { keys: 'j', says: 'Next queue', where: 'Queues', run: () => move(1) },
    { keys: 'k', says: 'Queue before', where: 'Queues', run: () => move(-1) },
    { keys: 'c', says: 'New queue', where: 'Queues', run: onNew },
  ])
}
