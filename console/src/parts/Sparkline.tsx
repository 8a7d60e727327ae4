// Seven days of results in the height of a row: grey bars, red on top for what failed. Screen readers get a sentence.
import { counted } from './amounts.ts'
import style from './Sparkline.module.css'

interface Day {
  day: string
  completed: number
  failed: number
  stopped?: number
  active?: number
}

const barWidth = 7
const gap = 2
const height = 18

export function Sparkline({ days }: { days: Day[] }) {
  const highest = Math.max(1, ...days.map(({ completed, failed }) => completed + failed))
  // one failure among thousands is still to be seen
  const tall = (value: number) => (value > 0 ? Math.max(2, (value / highest) * (height - 1)) : 0)
  const width = days.length * (barWidth + gap) - gap
  return (
    <span className={style.spark} title={sentenceOf(days)}>
      <span className="forReaders">{sentenceOf(days)}</span>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden>
        {days.map(({ day, completed, failed }, at) => {
          const x = at * (barWidth + gap)
          const bad = tall(failed)
          const good = Math.min(tall(completed), height - bad)
          return (
            <g key={day}>
              {completed + failed === 0 && (
                <rect className={style.none} x={x} y={height - 1} width={barWidth} height={1} />
              )}
              <rect className={style.good} x={x} y={height - good} width={barWidth} height={good} />
              <rect className={style.bad} x={x} y={height - good - bad} width={barWidth} height={bad} />
            </g>
          )
        })}
      </svg>
    </span>
  )
}

/** `7 days: 41 runs ended well, 3 failed, most on 2026-11-15.` */
export function sentenceOf(days: Day[]): string {
  const completed = days.reduce((sum, day) => sum + day.completed, 0)
  const failed = days.reduce((sum, day) => sum + day.failed, 0)
  if (completed + failed === 0) return `${counted(days.length, 'day')}: no run has ended.`
  const worst = days.reduce<Day | undefined>((most, day) => (day.failed > (most?.failed ?? 0) ? day : most), undefined)
  const where = worst ? `, most on ${worst.day.slice(0, 10)}` : ''
  return `${counted(days.length, 'day')}: ${counted(completed, 'run')} completed, ${failed} failed${where}.`
}
