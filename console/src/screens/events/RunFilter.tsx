// The filter by a run, which comes with a link: it names the run and can be taken away.
import { Link } from '@tanstack/react-router'
import { Icon } from '../../look/Icon.tsx'
import style from './EventsScreen.module.css'

export function RunFilter({ run, onRemove }: { run: string; onRemove: () => void }) {
  return (
    <span className={style.run}>
      Run{' '}
      <Link className="link" to="/runs/$runId" params={{ runId: run }}>
        …{run.slice(-8)}
      </Link>
      <button type="button" aria-label="Remove the filter Run" onClick={onRemove}>
        <Icon name="cross" size={13} />
      </button>
    </span>
  )
}
