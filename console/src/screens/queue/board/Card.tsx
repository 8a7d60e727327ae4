// One case of the board.
import type { Case } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { classes } from '../../../look/classes.ts'
import { Holder, Labels } from '../../../parts/case/CaseFacts.tsx'
import { CaseMenu } from '../../../parts/case/CaseMenu.tsx'
import type { CaseStatus } from '../../../parts/case/words.ts'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import style from './Board.module.css'

interface CardProps {
  item: Case
  isMoving: boolean
  canDrag: boolean
  onDrag: (item: Case | undefined) => void
  onMove: (item: Case, to: CaseStatus) => void
}

export const Card = memo(function Card({ item, isMoving, canDrag, onDrag, onMove }: CardProps) {
  return (
    // its menu does the same
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <article
      className={classes(style.card, isMoving && style.moving)}
      data-case={item.id}
      draggable={canDrag}
      onDragStart={(event) => {
        event.dataTransfer.setData('text/plain', item.id)
        event.dataTransfer.effectAllowed = 'move'
        onDrag(item)
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <div className={style.titleLine}>
        <Link
          className={style.title}
          to="/cases/$caseId"
          params={{ caseId: item.id }}
          title={visible(item.title)}
          // the card is dragged, not its link
          draggable={false}
        >
          {visible(item.title)}
        </Link>
        <CaseMenu item={item} onMove={onMove} />
      </div>
      <div className={style.facts}>
        {item.priority !== 'none' && (
          <Tag {...(item.priority === 'high' && { tone: 'wait' as const })}>{item.priority}</Tag>
        )}
        <Labels labels={item.labels} most={1} />
      </div>
      <div className={style.facts}>
        <Holder item={item} isLink={false} />
        <span className={style.time}>
          {item.attempts > 1 && <span>{item.attempts} attempts · </span>}
          <Time at={timeOf(item)} />
        </span>
      </div>
    </article>
  )
})

/** When it comes back, when it ended, or since when it is there. */
const timeOf = ({ postponed_to, completed_at, created_at }: Case): string => postponed_to ?? completed_at ?? created_at
