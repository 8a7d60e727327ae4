// A labelled field of a form, with its hint and what is wrong with it.
import { Field as Base } from '@base-ui/react/field'
import type { ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import { StatusShape } from '../look/StatusShape.tsx'
import style from './Field.module.css'

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  /** What is wrong with the value, as a sentence. */
  problem?: string | undefined
  isRequired?: boolean
  children: ReactNode
}

/** The child is `Input`, `TextArea` or another control of Base UI, which finds its label by itself. */
export function Field({ label, hint, problem, isRequired, children }: FieldProps) {
  return (
    <Base.Root className={style.field} invalid={problem !== undefined}>
      <Base.Label className={style.label}>
        {label}
        {isRequired && <span className="dim"> required</span>}
      </Base.Label>
      {children}
      {hint && <Base.Description className={style.hint}>{hint}</Base.Description>}
      {problem !== undefined && (
        <Base.Error className={style.problem} match>
          <StatusShape shape="failed" size={14} />
          <span>{problem}</span>
        </Base.Error>
      )}
    </Base.Root>
  )
}

/** What is wrong, where there is no `Field` around it. */
export const Problem = ({ id, children }: { id?: string; children: ReactNode }) => (
  <p id={id} className={style.problem} role="alert">
    <StatusShape shape="failed" size={14} />
    <span>{children}</span>
  </p>
)

type ControlProps = Omit<Base.Control.Props, 'className'> & { className?: string | undefined }

export function Input({ className, ...props }: ControlProps) {
  return <Base.Control {...props} className={classes(style.input, className)} />
}

export function TextArea({ rows = 4, className, ...props }: ControlProps & { rows?: number }) {
  return <Base.Control {...props} render={<textarea rows={rows} />} className={classes(style.area, className)} />
}

export function Select({ options, ...props }: Base.Control.Props & { options: { value: string; label: string }[] }) {
  return (
    <Base.Control
      {...props}
      render={
        <select>
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
      className={style.input}
    />
  )
}
