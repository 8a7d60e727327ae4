// A mark: whether a member finds that a run went well, so that checks and judges can be held against what people think.
import { part } from '../../base/db.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const verdicts = ['good', 'bad'] as const

export const RunMark = named(
  'RunMark',
  Type.Object({
    run_id: Id,
    member_id: Id,
    verdict: oneOf(verdicts),
    note: nullable(Type.String()),
    marked_at: Time,
  }),
)
export type RunMark = Static<typeof RunMark>

export const markColumns = part`run_marks.run_id, run_marks.member_id, run_marks.verdict, run_marks.note, run_marks.marked_at`
