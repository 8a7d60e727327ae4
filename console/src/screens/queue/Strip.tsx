// How many cases are where, and how long the open ones have been there.
import type { GetCaseAgesAnswer, Queue } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { classes } from '../../look/classes.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import { count, counted } from '../../parts/amounts.ts'
import { caseShapes, caseStatuses, caseStatusWords } from '../../parts/case/words.ts'
import { Time, useNow } from '../../parts/Time.tsx'
import { caseAgesQuery } from '../../queries/queues.ts'
import { agesOf, openStatuses, type Age } from './ages.ts'
import type { QueueSearch } from './search.ts'
import style from './Strip.module.css'

export function Strip({ queue, search }: { queue: Queue; search: QueueSearch }) {
  const ages = useQuery(caseAgesQuery(queue.id))
  return (
    <section className={style.strip} aria-label="Counts and ages">
      <ul className={style.counts}>
        {caseStatuses.map((status) => (
          <li key={status}>
            <Link
              to="/queues/$queueId"
              params={{ queueId: queue.id }}
              search={
                { ...search, status: search.status === status ? undefined : status, page: undefined } as QueueSearch
              }
              aria-current={search.status === status ? 'true' : undefined}
              title={
                search.status === status ? 'Show every status' : `Show only ${caseStatusWords[status].toLowerCase()}`
              }
            >
              <StatusShape shape={caseShapes[status]} size={14} />
              <b>{count(queue.counts[status])}</b>
              {caseStatusWords[status].toLowerCase()}
            </Link>
          </li>
        ))}
      </ul>
      {ages.data && <Ages queueId={queue.id} search={search} data={ages.data} />}
    </section>
  )
}

function Ages({ queueId, search, data }: { queueId: string; search: QueueSearch; data: GetCaseAgesAnswer }) {
  const ages = agesOf(data.ages)
  const most = Math.max(1, ...ages.map(({ total }) => total))
  const now = useNow(60_000)
  return (
    <figure className={style.ages} aria-label="Ages of open cases">
      <ol>
        {ages.map((age) => (
          <li key={age.from}>
            <Link
              className={style.age}
              to="/queues/$queueId"
              params={{ queueId }}
              search={
                {
                  ...search,
                  tab: 'table',
                  page: undefined,
                  status: openStatuses.join(','),
                  created: age.until === null ? undefined : new Date(now - age.until * 1000).toISOString(),
                  sort_by: undefined,
                  sort_order: 'asc',
                } as QueueSearch
              }
              title={titleOf(age)}
              aria-label={titleOf(age)}
            >
              <span className={style.bar}>
                {openStatuses.map((status) => (
                  <i
                    key={status}
                    className={classes(style.part, style[status])}
                    style={{ height: `${(age.counts[status] / most) * 100}%` }}
                  />
                ))}
              </span>
              <span className={style.says}>{age.says}</span>
            </Link>
          </li>
        ))}
      </ol>
      <figcaption>
        {data.oldest_at === null ? (
          'No open case'
        ) : (
          <>
            Open by age · oldest <Time at={data.oldest_at} />
          </>
        )}
      </figcaption>
    </figure>
  )
}

const titleOf = ({ long, total, counts }: Age): string =>
  [
    `${counted(total, 'open case')} ${long}`,
    ...openStatuses
      .filter((status) => counts[status] > 0)
      .map((status) => `${count(counts[status])} ${caseStatusWords[status].toLowerCase()}`),
  ].join(', ')
