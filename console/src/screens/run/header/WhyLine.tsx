// The sentence that says why the run is where it is.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSetting, zoneOf } from '../../../app/settings.ts'
import { classes } from '../../../look/classes.ts'
import { clockTime, relativeTime, useNow } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { runWhyQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'
import { whyOf } from './why.ts'
import style from './WhyLine.module.css'

export function WhyLine({ run }: { run: GetRunAnswer['run'] }) {
  const { data } = useQuery(runWhyQuery(run))
  const { linkTo } = useRunAddress()
  const timeZone = zoneOf(useSetting('zone'))
  const now = useNow(5000)
  // an answer from before the run moved on says something else than the rest of the page
  if (!data || data.status !== run.status) return null
  const why = whyOf(data, {
    timeOf: (iso) => clockTime(iso, timeZone, now),
    relative: (iso) => relativeTime(iso, now),
  })
  if (!why) return null
  return (
    <p className={style.why}>
      <b className={classes(style[why.tone])}>{why.asks}</b>{' '}
      {why.step !== undefined && (
        <>
          <Link className="link" {...linkTo({ tab: undefined, step: why.step })}>
            step {why.step}
          </Link>
          {': '}
        </>
      )}
      {visible(why.says)}
    </p>
  )
}
