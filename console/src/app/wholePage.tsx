// What is shown before there is a page: the mark while it loads, or why there is none.
import { messageOf } from './client.ts'
import { Mark } from '../look/Mark.tsx'
import { Button } from '../parts/Button.tsx'
import style from './wholePage.module.css'

export function WholePageWait() {
  return (
    <div className={style.whole} aria-busy="true">
      <Mark size={32} />
      <span className="forReaders">Runyard is loading</span>
    </div>
  )
}

export function WholePageError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <main className={style.whole}>
      <Mark size={32} />
      <h1>Runyard cannot be reached</h1>
      <p className="sub">{messageOf(error)}</p>
      <Button kind="go" icon="retry" onClick={onRetry}>
        Try again
      </Button>
    </main>
  )
}
