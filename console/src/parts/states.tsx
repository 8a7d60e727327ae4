// The four states of everything that is loaded: loading, empty, failed, and not allowed.
import { ApiError, ForbiddenError } from '@runyard/sdk'
import type { ReactNode } from 'react'
import { messageOf } from '../app/client.ts'
import { StatusShape } from '../look/StatusShape.tsx'
import { Icon, type IconName } from '../look/Icon.tsx'
import { Button } from './Button.tsx'
import { CopyText } from './CopyText.tsx'
import style from './states.module.css'

/** Grey bars where rows will be. `rows` are as high as those of a table. */
export function Skeleton({ rows = 8, what }: { rows?: number; what: string }) {
  return (
    <div className={style.skeleton} aria-busy="true">
      <span className="forReaders">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        <i key={row} style={{ width: `${92 - ((row * 37) % 45)}%` }} />
      ))}
    </div>
  )
}

interface EmptyProps {
  icon: IconName
  /** What is not there, as a short sentence. */
  title: string
  /** What this is and how it comes about. */
  children: ReactNode
  /** One button. */
  action?: ReactNode
  /** One command that does the same. */
  command?: string
}

export function Empty({ icon, title, children, action, command }: EmptyProps) {
  return (
    <div className={style.state}>
      <span className={style.badge}>
        <Icon name={icon} size={20} />
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
      {command !== undefined && <CopyText text={command} what="command" />}
    </div>
  )
}

/** What went wrong, with its code and the id of the request. A missing scope is a state of its own. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error instanceof ForbiddenError) return <NotAllowed says={error.message} />
  const { code, requestId } = error instanceof ApiError ? error : { code: undefined, requestId: undefined }
  return (
    <div className={style.state} role="alert">
      <StatusShape shape="failed" size={24} />
      <h2>This could not be loaded</h2>
      <p>{messageOf(error)}</p>
      <p className={style.facts}>
        {code !== undefined && <code>{code}</code>}
        {requestId !== undefined && (
          <>
            request <CopyText text={requestId} what="request id" />
          </>
        )}
      </p>
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** `says`: which scope is missing. */
export function NotAllowed({ says }: { says: string }) {
  return (
    <div className={style.state}>
      <span className={style.badge}>
        <Icon name="lock" size={20} />
      </span>
      <h2>You may not see this</h2>
      <p>{says}</p>
    </div>
  )
}

interface Loaded<Data> {
  data: Data | undefined
  error: unknown
  refetch: () => unknown
}

/** Draws what a query gave, or the state that it is in. What was there before a failed refresh stays. */
export function Shown<Data>({
  query,
  what,
  rows,
  children,
}: {
  query: Loaded<Data>
  /** What is loaded, in the plural: `runs`. */
  what: string
  rows?: number
  children: (data: Data) => ReactNode
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton what={what} {...(rows !== undefined && { rows })} />
}
