// The limits of the team as bars, each with what happens at 100 %.
import { useQuery } from '@tanstack/react-query'
import { classes } from '../../look/classes.ts'
import { Card } from '../../parts/Card.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Meter } from '../../parts/Meter.tsx'
import { Shown } from '../../parts/states.tsx'
import { limitsQuery } from '../../queries/usage.ts'
import { amountOf, consequenceOf, shareOf } from './limitWords.ts'
import style from './UsageScreen.module.css'

export function Limits() {
  const limits = useQuery(limitsQuery)
  return (
    <Card title="Limits" aside={<CopyAs isSmall operation="getBillingEntitlements" />}>
      <Shown query={limits} what="limits" rows={5}>
        {(all) => (
          <div className={style.limits}>
            {all.map((limit) => {
              const share = shareOf(limit)
              const used = amountOf(limit, limit.used ?? 0)
              const says = limit.limit === null ? used : `${used} of ${amountOf(limit, limit.limit)}`
              return (
                <section
                  key={limit.key}
                  className={classes(style.limit, share !== undefined && share >= 1 && style.reached)}
                >
                  <header>
                    <h3>{limit.label}</h3>
                    <span className={style.bar}>{says}</span>
                  </header>
                  {share !== undefined && (
                    <span className={style.bar}>
                      <Meter share={share} says={`${limit.label}: ${says}`} width="100%" />
                      {Math.floor(share * 100)} %
                    </span>
                  )}
                  <p>{consequenceOf(limit)}</p>
                </section>
              )
            })}
          </div>
        )}
      </Shown>
    </Card>
  )
}
