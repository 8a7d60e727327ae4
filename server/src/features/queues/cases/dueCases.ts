// The postponed cases of a queue whose time has come, as whoever gives them out or claims one looks at them: a queue may have very many.
import { part, type Part } from '../../../base/db.ts'
import { isPostponedAndDue } from './caseLifecycle.ts'

/**
 * Among how many due cases the next ones are looked for, those that are due longest. Writes of other runs wait for a claim, so it does not sort all
 * that are due.
 */
const dueMax = 100

interface Wanted {
  columns: Part
  /** Condition on `cases c`, with its queue. */
  where: Part
  max: number
}

/**
 * The tables of a `with` that locks the next due cases; the last one, `due`, has the columns. They come by priority, then the oldest first. If
 * others have locked some of those that are looked at, the cases behind take their places, the one that is due longest first.
 */
export const dueCases = ({ columns, where, max }: Wanted): Part => part`
  looked_at as materialized (
    select ${columns}, 0 as place, c.priority as rank, c.created_at as made_at from cases c
    where c.id = any(array(select c.id from cases c where ${where} and ${isPostponedAndDue} order by c.postponed_to, c.id limit ${dueMax}))
      and ${where} and ${isPostponedAndDue}
    order by c.priority desc, c.created_at, c.id limit ${max} for update of c skip locked
  ),
  behind as materialized (
    select ${columns}, 1 as place, 0 as rank, c.postponed_to as made_at from cases c
    where ${where} and ${isPostponedAndDue} and c.id <> all(array(select id from looked_at))
    order by c.postponed_to, c.id limit ${max}::int - (select count(*) from looked_at) for update of c skip locked
  ),
  due as (
    select * from looked_at union all select * from behind order by place, rank desc, made_at, id
  )`
