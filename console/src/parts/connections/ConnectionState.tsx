// Whether a connection works: its shape and its word.
import type { Connection } from '@runyard/sdk'
import { StatusShape, type Shape } from '../../look/StatusShape.tsx'
import style from './ConnectionState.module.css'

const states: Record<Connection['status'], { shape: Shape; says: string }> = {
  active: { shape: 'done', says: 'Works' },
  action_required: { shape: 'human', says: 'Needs a person' },
  disabled: { shape: 'stopped', says: 'Switched off' },
}

export const stateWord = (status: Connection['status']): string => states[status].says

export function ConnectionState({ status }: { status: Connection['status'] }) {
  const { shape, says } = states[status]
  return (
    <span className={style.state}>
      <StatusShape shape={shape} />
      {says}
    </span>
  )
}
