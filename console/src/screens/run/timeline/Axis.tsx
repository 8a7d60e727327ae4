// The head of the waterfall: how it is looked at on the left, on the right the map of the whole run and the ticks of what is in sight.
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { duration } from '../../../parts/amounts.ts'
import type { Axis } from './axis.ts'
import style from './Axis.module.css'
import { foldsInView, ticksInView, type FoldMark, type Tick } from './ticks.ts'
import type { View } from './view.ts'

export interface Marks {
  ticks: Tick[]
  folds: FoldMark[]
}

/** Ticks and folds of what is in sight, for a track of this width. */
export function marksOf(axis: Axis, view: View, widthPx: number): Marks {
  const { marks, taken } = foldsInView(axis, view, widthPx, duration)
  return { folds: marks, ticks: ticksInView(axis, view, widthPx, taken) }
}

/** How wide an element is, also when that changes. */
export function useWidth(): [(element: HTMLElement | null) => void, number] {
  const [width, setWidth] = useState(0)
  const [element, setElement] = useState<HTMLElement | null>(null)
  const last = useRef(0)
  useLayoutEffect(() => {
    if (!element) return undefined
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.round(entry?.contentRect.width ?? 0)
      if (now !== last.current) setWidth((last.current = now))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, width]
}

export function AxisHead({ marks, map, children }: { marks: Marks; map: ReactNode; children: ReactNode }) {
  return (
    <div className={style.axis}>
      <div className={style.tools}>{children}</div>
      <div className={style.scale}>
        {map}
        <div className={style.ticks} aria-hidden>
          {marks.ticks.map(({ at, label }) => label !== '' && <Label key={at} at={at} text={label} />)}
          {marks.folds.map(
            ({ left, right, label, isForPerson }) =>
              label !== '' && (
                <Label key={left} at={(left + right) / 2} text={label} isFold={isForPerson ? 'person' : 'other'} />
              ),
          )}
        </div>
      </div>
    </div>
  )
}

function Label({ at, text, isFold }: { at: number; text: string; isFold?: 'person' | 'other' }) {
  // labels at the ends stay inside
  const shift = at < 0.04 ? '0' : at > 0.96 ? '-100%' : '-50%'
  return (
    <span data-fold={isFold} style={{ left: `${at * 100}%`, transform: `translateX(${shift})` }}>
      {text}
    </span>
  )
}

/** Lines of the ticks and hatching of the folds, behind the rows. */
export function Grid({ marks }: { marks: Marks }) {
  return (
    <div className={style.grid} aria-hidden>
      {marks.ticks.map(({ at }) => (
        <i key={at} style={{ left: `${at * 100}%` }} />
      ))}
      {marks.folds.map(({ left, right, isForPerson }) => (
        <u
          key={left}
          data-fold={isForPerson ? 'person' : 'other'}
          style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
        />
      ))}
    </div>
  )
}
