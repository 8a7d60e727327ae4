// The steps of two runs line by line. Only the lines in sight exist.
import type { GetRunAnswer } from '@runyard/sdk'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { classes } from '../../../look/classes.ts'
import { Icon } from '../../../look/Icon.tsx'
import { count, counted, duration } from '../../../parts/amounts.ts'
import { Tag } from '../../../parts/Tag.tsx'
import type { StepLine } from '../timeline/stepLine.ts'
import { align, differences, type Pair } from './align.ts'
import style from './ComparedSteps.module.css'
import { StepDifference } from './StepDifference.tsx'

interface ComparedStepsProps {
  left: StepLine[]
  right: StepLine[]
  leftRun: GetRunAnswer['run']
  rightRun: GetRunAnswer['run']
  isOnlyDifferent: boolean
  onOnlyDifferent: (isOnly: boolean) => void
}

interface Line {
  pair: Pair
  found: string[]
}

export function ComparedSteps(props: ComparedStepsProps) {
  const { left, right, leftRun, rightRun, isOnlyDifferent, onOnlyDifferent } = props
  const [looked, setLooked] = useState<Pair>()
  const lines = useMemo(
    () => align(left, right).map((pair): Line => ({ pair, found: differences(pair) })),
    [left, right],
  )
  const different = useMemo(() => lines.filter(({ found }) => found.length > 0), [lines])
  const shown = isOnlyDifferent ? different : lines
  const place = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current,
    estimateSize: () => 28,
    overscan: 12,
  })
  return (
    <>
      <div className={style.bar}>
        <span>
          {counted(lines.length, 'line')}, {count(different.length)} with differences
        </span>
        <label>
          <input
            type="checkbox"
            checked={isOnlyDifferent}
            onChange={(event) => onOnlyDifferent(event.target.checked)}
          />
          Only what differs
        </label>
      </div>
      <div
        className={style.rows}
        ref={place}
        role="table"
        aria-label="Steps of both runs"
        aria-rowcount={shown.length}
        // whoever has no mouse scrolls it by keys
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        <div role="rowgroup" className={style.sheet} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const line = shown[index]
            return line && <LineRow key={key} line={line} top={start} index={index} onLook={setLooked} />
          })}
        </div>
      </div>
      {looked && (
        <StepDifference pair={looked} leftRun={leftRun} rightRun={rightRun} onClose={() => setLooked(undefined)} />
      )}
    </>
  )
}

interface LineRowProps {
  line: Line
  top: number
  index: number
  onLook: (pair: Pair) => void
}

function LineRow({ line: { pair, found }, top, index, onLook }: LineRowProps) {
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      className={classes(style.line, found.length > 0 && style.differs)}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Cell step={pair.left} />
      <Cell step={pair.right} />
      <span role="cell" className={style.found}>
        {found.map((what) => (
          <Tag key={what} tone="wait">
            {what}
          </Tag>
        ))}
        <button
          type="button"
          className={style.look}
          aria-label={`Arguments and results of line ${index + 1}`}
          onClick={() => onLook(pair)}
        >
          <Icon name="diff" size={14} />
        </button>
      </span>
    </div>
  )
}

function Cell({ step }: { step: StepLine | undefined }) {
  if (!step) return <span role="cell" className={style.none} />
  return (
    <span role="cell" className={style.cell}>
      <span className={style.number}>{step.seq}</span>
      <b className={classes(step.state === 'failed' && style.failed)}>{step.name}</b>
      <span className={style.detail}>{step.detail}</span>
      <span className={style.took}>{step.to === undefined ? step.state : duration(step.to - step.from)}</span>
    </span>
  )
}
