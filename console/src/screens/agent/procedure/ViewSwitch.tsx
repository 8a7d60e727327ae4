// How the procedure is shown: as it is written, as it is read, or both.
import { getRouteApi } from '@tanstack/react-router'
import { AgentLink } from '../AgentLink.tsx'
import { procedureViews } from '../search.ts'
import style from '../../../parts/Switch.module.css'

const route = getRouteApi('/frame/agents/$agentId')
const names: Record<(typeof procedureViews)[number], string> = { source: 'Write', rendered: 'Read', beside: 'Both' }

export function ViewSwitch() {
  const { view: open = 'source' } = route.useSearch()
  return (
    <nav className={style.switch} aria-label="How it is shown">
      {procedureViews.map((view) => (
        <AgentLink key={view} change={{ view: view === 'source' ? undefined : view }} isOpen={view === open} replace>
          {names[view]}
        </AgentLink>
      ))}
    </nav>
  )
}
