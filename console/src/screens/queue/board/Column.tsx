// One column of the board. However many cases it has, only those in sight exist; the next ones come as one scrolls.
import type { Case, Queue, SearchCasesInput } from '@runyard/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { count } from '../../../parts/amounts.ts'
import { moveTo } from '../../../parts/case/moves.ts'
import type { useMoving } from '../../../parts/case/useMoving.tsx'
import { caseShapes, caseStatusWords, type CaseStatus } from '../../../parts/case/words.ts'
import { Failed, Skeleton } from '../../../parts/states.tsx'
import { caseColumnQuery } from '../../../queries/queues.ts'
import { caseOrder, type CaseChoice } from '../apiFilter.ts'
import type { QueueSearch } from '../search.ts'
import style from './Board.module.css'
import { Card } from './Card.tsx'

interface ColumnProps {
  queue: Queue
  status: CaseStatus
  choice: CaseChoice
  search: QueueSearch
  moving: ReturnType<typeof useMoving>
  dragged: Case | undefined
  canDrag: boolean
  onDrag: (item: Case | undefined) => void
  onAdd: () => void
}

/** What waits longest is first; of what has ended, the last. */
const usualOrder: Record<CaseStatus, Pick<SearchCasesInput, 'sort_by' | 'sort_order'>> = {
  pending: { sort_by: 'created_at', sort_order: 'asc' },
  in_progress: { sort_by: 'created_at', sort_order: 'asc' },
  needs_input: { sort_by: 'created_at', sort_order: 'asc' },
  postponed: { sort_by: 'postponed_to', sort_order: 'asc' },
  completed: { sort_by: 'updated_at', sort_order: 'desc' },
  failed: { sort_by: 'updated_at', sort_order: 'desc' },
}

const cardHeight = 92

export function Column(props: ColumnProps) {
  const { queue, status, choice, search, moving, dragged, canDrag, onDrag, onAdd } = props
  const { profile, unable } = useSession()
  const place = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)
  const order = { ...usualOrder[status], ...caseOrder(search) }
  const input = { ...choice, ...order, filters: { ...choice.filters, status: [status] } }
  const column = useInfiniteQuery(caseColumnQuery(queue.id, input))
  const cases = useMemo(() => unique(column.data?.pages.flatMap((page) => page.cases) ?? []), [column.data])
  const total = column.data?.pages.at(-1)?.total
  const virtual = useVirtualizer({
    count: cases.length,
    getScrollElement: () => place.current,
    estimateSize: () => cardHeight,
    overscan: 5,
    getItemKey: (at) => cases[at]?.id ?? at,
    useFlushSync: false,
  })
  const rows = virtual.getVirtualItems()
  const last = rows.at(-1)?.index ?? 0
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = column
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= cases.length - 10) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, last, cases.length, fetchNextPage])
  const target = dragged && dragged.display_status !== status ? moveTo(dragged, status, profile) : undefined
  const word = caseStatusWords[status]
  return (
    // the menu of each card does the same
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      className={classes(
        style.column,
        isOver && target?.move && style.target,
        dragged && !target?.move && style.closed,
      )}
      aria-label={`${word}, ${total === undefined ? 'loading' : count(total)}`}
      data-status={status}
      onDragOver={(event) => {
        if (!target?.move) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        setOver(false)
        if (!dragged) return
        event.preventDefault()
        moving.begin(dragged, status)
        onDrag(undefined)
      }}
    >
      <header className={style.head}>
        <StatusShape shape={caseShapes[status]} />
        <h2>{word}</h2>
        {total !== undefined && <span className={style.count}>{count(total)}</span>}
      </header>
      {dragged && !target?.move && dragged.display_status !== status && (
        <p className={style.whyNot}>{target?.whyNot}</p>
      )}
      <div
        ref={place}
        className={style.cards}
        // with the keys of the keyboard it is scrolled too
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="group"
        aria-label={`Cases that are ${word.toLowerCase()}`}
      >
        {!column.data && !column.error && <Skeleton rows={4} what="cases" />}
        {!column.data && column.error && <Failed error={column.error} onRetry={() => void column.refetch()} />}
        {column.data && cases.length === 0 && (
          <p className={style.none}>
            None
            {status === 'pending' && unable('queues:write') === undefined && (
              <>
                .{' '}
                <button type="button" className={classes('link', style.addLink)} onClick={onAdd}>
                  Add a case
                </button>
              </>
            )}
          </p>
        )}
        <ul style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, start, key }) => {
            const item = cases[index]
            return (
              item && (
                <li key={key} className={style.place} style={{ transform: `translateY(${start}px)` }}>
                  <Card
                    item={item}
                    isMoving={moving.movedId === item.id}
                    canDrag={canDrag}
                    onDrag={onDrag}
                    onMove={moving.begin}
                  />
                </li>
              )
            )
          })}
        </ul>
      </div>
    </section>
  )
}

/** A case that moved between two pages may be on both. */
function unique(cases: Case[]): Case[] {
  return [...new Map(cases.map((item) => [item.id, item])).values()]
}
