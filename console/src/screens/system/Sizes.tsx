// How large the tables are, by what they keep, how far back they go, and how much they grow.
import type { GetSystemAnswer } from '@runyard/sdk'
import { bytes, count } from '../../parts/amounts.ts'
import { Meter } from '../../parts/Meter.tsx'
import { Cell, Row, RowTable, RowTableHead } from '../../parts/RowTable.tsx'
import { Time } from '../../parts/Time.tsx'
import { growthWords } from './diagnostics.ts'
import style from './SystemScreen.module.css'

export function Sizes({ system: { sizes, now } }: { system: GetSystemAnswer }) {
  const all = Math.max(
    1,
    sizes.reduce((sum, one) => sum + one.bytes, 0),
  )
  const first = sizes
    .map(({ measured_at }) => measured_at)
    .filter((at) => at !== null)
    .toSorted()[0]
  return (
    <>
      <RowTableHead
        says={
          <>
            Tables with their indexes. RUNYARD_RETENTION_DAYS says how long each kind is kept.
            {first && (
              <>
                {' '}
                Growth is counted from what was measured <Time at={first} />.
              </>
            )}
          </>
        }
      />
      <RowTable heads={['What', 'Size', 'Growth', 'Rows', 'Oldest']} numbers={['Growth', 'Rows']} hasActions={false}>
        {sizes.map(({ what, bytes: size, rows, oldest_at, ...grown }) => (
          <Row key={what}>
            <Cell>{what}</Cell>
            <Cell of="Size">
              <span className={style.pool}>
                <Meter share={size / all} says={`${bytes(size)} of ${bytes(all)} are ${what}`} width={96} />
                {bytes(size)}
              </span>
            </Cell>
            <Cell of="Growth" isNumber>
              {growthWords(grown, Date.parse(now)) ?? <span className="dim">first measured within 10 min</span>}
            </Cell>
            <Cell of="Rows" isNumber>
              {count(rows)}
            </Cell>
            <Cell of="Oldest">{oldest_at === null ? <span className="dim">none</span> : <Time at={oldest_at} />}</Cell>
          </Row>
        ))}
      </RowTable>
    </>
  )
}
