// The cases of a queue: filters, how many are where and how old they are, the board or the table, and what is done to many at once.
import type { Queue } from '@runyard/sdk'
import { lazy, Suspense, useState, type DragEvent, type ReactNode } from 'react'
import { useSession } from '../../app/session.tsx'
import { useMoving } from '../../parts/case/useMoving.tsx'
import { Board } from './board/Board.tsx'
import { BulkCases, type BulkOver } from './bulk/BulkCases.tsx'
import type { BulkKind } from './bulk/kinds.ts'
import { FilterBar, type ChangeSearch } from './FilterBar.tsx'
import style from './QueueScreen.module.css'
import type { QueueSearch } from './search.ts'
import { Strip } from './Strip.tsx'
import { CaseTable } from './table/CaseTable.tsx'
import { WhyLine } from './WhyLine.tsx'

/** Loaded apart: in one chunk with the screen, its bar would bring the whole screen to every page with long work. */
const BulkProgress = lazy(() => import('./bulk/BulkProgress.tsx'))

interface CasesProps {
  queue: Queue
  search: QueueSearch
  zone: string
  tab: 'board' | 'table'
  onChange: ChangeSearch
  onAdd: () => void
  onFile: (file: File) => void
}

export interface CasesViewProps {
  queue: Queue
  search: QueueSearch
  zone: string
  onChange: ChangeSearch
  onAdd: () => void
  moving: ReturnType<typeof useMoving>
  onBulk: (kind: BulkKind, over: BulkOver, onBegun?: () => void) => void
}

export function Cases({ queue, search, zone, tab, onChange, onAdd, onFile }: CasesProps) {
  const moving = useMoving()
  const [bulk, setBulk] = useState<{ kind: BulkKind; over: BulkOver; onBegun?: (() => void) | undefined }>()
  const onBulk: CasesViewProps['onBulk'] = (kind, over, onBegun) => setBulk({ kind, over, onBegun })
  const view = { queue, search, zone, onChange, onAdd, moving, onBulk }
  return (
    <DropZone onFile={onFile}>
      <WhyLine queue={queue} />
      <FilterBar queue={queue} search={search} zone={zone} onChange={onChange} onBulk={onBulk} />
      <Strip queue={queue} search={search} />
      <Suspense>
        <BulkProgress queueId={queue.id} />
      </Suspense>
      {tab === 'board' ? <Board {...view} /> : <CaseTable {...view} />}
      {moving.dialog}
      {bulk && (
        <BulkCases
          queue={queue}
          kind={bulk.kind}
          over={bulk.over}
          onClose={() => setBulk(undefined)}
          onBegun={() => {
            bulk.onBegun?.()
            setBulk(undefined)
          }}
        />
      )}
    </DropZone>
  )
}

const hasFile = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

/** A file that is dropped anywhere is imported. Its twin is in the menu of the queue. */
function DropZone({ onFile, children }: { onFile: (file: File) => void; children: ReactNode }) {
  const { unable } = useSession()
  const [isOver, setOver] = useState(false)
  const cannot = unable('queues:write')
  return (
    // the menu of the queue does the same
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <main
      className={style.main}
      onDragOver={(event) => {
        if (!hasFile(event) || cannot !== undefined) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        setOver(false)
        const [file] = event.dataTransfer.files
        if (!hasFile(event) || !file || cannot !== undefined) return
        event.preventDefault()
        onFile(file)
      }}
    >
      {children}
      {isOver && <div className={style.drop}>Drop the CSV or NDJSON file to import its rows as cases</div>}
    </main>
  )
}
