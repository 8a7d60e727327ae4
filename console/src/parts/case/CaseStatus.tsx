// The state of a case: its shape and its word, as runs have theirs.
import { classes } from '../../look/classes.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import style from '../Status.module.css'
import { caseShapes, caseStatusWords, type CaseStatus as Status } from './words.ts'

export function CaseStatus({ status }: { status: Status }) {
  const shape = caseShapes[status]
  return (
    <span className={classes(style.status, style[shape])}>
      <StatusShape shape={shape} />
      {caseStatusWords[status]}
    </span>
  )
}

/** The same as the first thing in a header. */
export function CaseStatusPill({ status }: { status: Status }) {
  const shape = caseShapes[status]
  return (
    <span className={classes(style.pill, style[`${shape}Pill`])}>
      <StatusShape shape={shape} />
      {caseStatusWords[status]}
    </span>
  )
}
