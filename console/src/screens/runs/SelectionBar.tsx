// What can be done to the selected runs, above the foot of the list.
import { counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { useSession } from '../../app/session.tsx'
import type { BulkAction } from './bulk.ts'
import style from './SelectionBar.module.css'
import type { Selection } from '../../parts/useSelection.ts'

interface SelectionBarProps {
  selection: Selection
  onBulk: (action: BulkAction) => void
  onExport: () => void
}

export function SelectionBar({ selection, onBulk, onExport }: SelectionBarProps) {
  const { unable } = useSession()
  const cannot = unable('runs:write')
  return (
    <section className={style.bar} aria-label="Selected runs">
      <span aria-live="polite">{counted(selection.ids.size, 'run')} selected</span>
      <Button icon="stop" unable={cannot} onClick={() => onBulk('stop')}>
        Stop
      </Button>
      <Button icon="retry" unable={cannot} onClick={() => onBulk('retry')}>
        Retry
      </Button>
      <Button icon="download" onClick={onExport}>
        Export CSV
      </Button>
      <Button kind="quiet" icon="cross" onClick={selection.clear}>
        Clear
      </Button>
    </section>
  )
}
