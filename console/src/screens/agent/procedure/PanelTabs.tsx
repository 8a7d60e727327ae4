// What stands beside the procedure: builds, the builder, or the settings of the build.
import { StatusShape } from '../../../look/StatusShape.tsx'
import { AgentLink } from '../AgentLink.tsx'
import { useDraft } from '../draft/DraftProvider.tsx'
import { procedurePanels } from '../search.ts'
import type { BuilderState } from './useBuilderRun.ts'
import style from '../../../parts/Switch.module.css'

type Panel = (typeof procedurePanels)[number]

const names: Record<Panel, string> = { builds: 'Builds', builder: 'Builder', settings: 'Settings' }

export function PanelTabs({ open, builder }: { open: Panel; builder: BuilderState }) {
  const { checked } = useDraft()
  const marks: Partial<Record<Panel, boolean>> = {
    settings: (checked?.answer.config_problems.length ?? 0) > 0,
  }
  return (
    <nav className={style.switch} aria-label="Beside the procedure">
      {procedurePanels.map((panel) => (
        <AgentLink
          key={panel}
          change={{ panel: panel === 'builds' ? undefined : panel }}
          isOpen={panel === open}
          replace
        >
          {marks[panel] && <StatusShape shape="failed" size={13} label="has problems" />}
          {panel === 'builder' && builder.run?.status === 'waiting' && (
            <StatusShape shape="human" size={13} label="asks something" />
          )}
          {panel === 'builder' && builder.isWorking && <StatusShape shape="running" size={13} label="at work" />}
          {names[panel]}
        </AgentLink>
      ))}
    </nav>
  )
}
