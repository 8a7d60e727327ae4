// The list of requests. Only the rows that can be seen are drawn, so a thousand scroll like ten.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { classes } from '../../look/classes.ts'
import { count } from '../../parts/amounts.ts'
import { RequestRow } from './RequestRow.tsx'
import style from './RequestList.module.css'
import type { Later } from './later.ts'
import type { InboxRows } from './useInboxRows.ts'

/** As high as RequestList.module.css makes a row. */
const rowHeight = 85

interface Props {
  list: InboxRows
  selected: string | undefined
  /** When those come back that were put aside; only their own list shows it. */
  later?: Later | undefined
  children?: React.ReactNode
}

export function RequestList({ list, selected, later, children }: Props) {
  const { rows = [], hasMore, isLoadingMore, loadMore } = list
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    getItemKey: (at) => rows[at]?.id ?? at,
  })
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - 20) loadMore()
  }, [hasMore, isLoadingMore, last, rows.length, loadMore])

  const at = rows.findIndex(({ id }) => id === selected)
  const isThere = at >= 0
  useEffect(() => {
    if (!isThere) return undefined
    virtual.scrollToIndex(at, { align: 'auto' })
    // the focus goes along, where it was in the list: its row may no longer be drawn
    if (!scroller.current?.contains(document.activeElement)) return undefined
    const frame = requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>('[aria-current]')?.focus({ preventScroll: true }),
    )
    return () => cancelAnimationFrame(frame)
    // only when another one is opened: new pages must not move what is being read
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selected, isThere])

  return (
    <div ref={scroller} className={style.scroll}>
      <ol className={style.rows} style={{ height: virtual.getTotalSize() }} aria-label="Requests">
        {shown.map((item) => {
          const request = rows[item.index]
          return (
            request && (
              <li
                key={item.key}
                className={classes(style.item, item.index === rows.length - 1 && style.lastItem)}
                style={{ transform: `translateY(${item.start}px)` }}
                aria-setsize={hasMore ? list.total : rows.length}
                aria-posinset={item.index + 1}
              >
                <RequestRow request={request} isOpen={request.id === selected} until={later?.[request.id]} />
              </li>
            )
          )
        })}
      </ol>
      {hasMore && (
        <p className={style.more} role="status">
          {isLoadingMore ? 'Loading more …' : `${count(rows.length)} of ${count(list.total)}`}
        </p>
      )}
      {children}
    </div>
  )
}
