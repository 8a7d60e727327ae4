// The run exactly as the service gives it.
import type { GetRunAnswer } from '@runyard/sdk'
import { Json } from '../../../parts/Json.tsx'
import style from './Raw.module.css'

export function Raw({ answer }: { answer: GetRunAnswer }) {
  return (
    <div className={style.raw}>
      <Json value={answer} rows={400} />
    </div>
  )
}
