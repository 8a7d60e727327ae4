// The board: a column for each status. A card is dragged to another column, or moved by its menu.
import type { Case } from '@runyard/sdk'
import { useRef, useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { caseStatuses } from '../../../parts/case/words.ts'
import type { CasesViewProps } from '../Cases.tsx'
import { statusesOf } from '../search.ts'
import { useCaseKeys } from '../useCaseKeys.ts'
import { useChoice } from '../useChoice.ts'
import style from './Board.module.css'
import { Column } from './Column.tsx'

export function Board({ queue, search, zone, moving, onAdd }: CasesViewProps) {
  const { unable } = useSession()
  const choice = useChoice(search, zone)
  const [dragged, setDragged] = useState<Case>()
  const place = useRef<HTMLDivElement>(null)
  const chosen = statusesOf(search)
  const columns = chosen.length === 0 ? caseStatuses : chosen
  useCaseKeys({ place, moving })
  return (
    <div ref={place} className={style.board} role="group" aria-label="Board">
      {columns.map((status) => (
        <Column
          key={status}
          queue={queue}
          status={status}
          choice={choice}
          search={search}
          moving={moving}
          dragged={dragged}
          canDrag={unable('queues:write') === undefined}
          onDrag={setDragged}
          onAdd={onAdd}
        />
      ))}
    </div>
  )
}
