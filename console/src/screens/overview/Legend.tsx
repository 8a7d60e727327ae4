// What the colours of a plot stand for.
import type { PlotSeries } from '../../parts/Plot.tsx'
import style from './Legend.module.css'

export function Legend({ series }: { series: PlotSeries[] }) {
  return (
    <ul className={style.legend}>
      {series.map(({ label, color }) => (
        <li key={label}>
          <i style={{ background: `var(--plot-${color})` }} />
          {label}
        </li>
      ))}
    </ul>
  )
}
