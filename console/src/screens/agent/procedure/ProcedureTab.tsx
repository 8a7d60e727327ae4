// The procedure of an agent: the editor, the map of its steps, and beside them builds, builder or settings.
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useRef } from 'react'
import { useKeys } from '../../../app/keys.ts'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Skeleton } from '../../../parts/states.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import type { TabProps } from '../AgentScreen.tsx'
import { procedureOf, withProcedure } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import type { EditorHandle } from '../editor/ProcedureEditor.tsx'
import { useLanguage } from '../editor/useLanguage.ts'
import { openStartRun } from '../../../app/startingRun.ts'
import { BuilderPanel } from './BuilderPanel.tsx'
import { useBuilderRun } from './useBuilderRun.ts'
import { BuildsPanel } from './BuildsPanel.tsx'
import { EditorHead } from './EditorHead.tsx'
import { Notices } from './Notices.tsx'
import { PanelTabs } from './PanelTabs.tsx'
import style from './ProcedureTab.module.css'
import { RenderedProcedure } from './RenderedProcedure.tsx'
import { SettingsPanel } from './SettingsPanel.tsx'
import { StepMap } from './StepMap.tsx'

const ProcedureEditor = lazy(() => import('../editor/ProcedureEditor.tsx'))
const route = getRouteApi('/frame/agents/$agentId')

export default function ProcedureTab({ agent }: TabProps) {
  const { view = 'source', panel = 'builds' } = route.useSearch()
  const { unable } = useSession()
  const { working, copy, checked, errors } = useDraft()
  const language = useLanguage()
  const editor = useRef<EditorHandle>(null)
  const builderRun = useBuilderRun(agent.id, working.base)
  const text = procedureOf(working.config)
  const problems = useMemo(() => checked?.answer.problems ?? [], [checked])
  const steps = useMemo(() => checked?.answer.steps ?? [], [checked])
  const cannotWrite = unable('agents:write')
  const isReadOnly = cannotWrite !== undefined || builderRun.isActive

  const save = () => {
    copy.saveNow().then(
      ({ revision_number }) => toast(`Saved in draft ${revision_number}`),
      (error: unknown) => toastError('Not saved; what you typed is kept in this browser', error),
    )
  }
  useKeys([{ keys: 'mod+s', says: 'Save the draft now', where: 'Agent', whileTyping: true, run: save }])
  const run = () => {
    if (errors > 0 || unable('runs:write') !== undefined) return
    const inputs = checked?.config === working.config ? checked.answer.inputs : undefined
    copy.saveNow().then(
      ({ id }) => openStartRun({ agentId: agent.id, buildId: id, inputs }),
      (error: unknown) => toastError('The draft could not be saved, so it was not started', error),
    )
  }
  const goTo = (line: number) => editor.current?.goTo(line)

  return (
    <div className={classes(style.columns, view === 'beside' && style.beside)}>
      <section className={style.editor} aria-label="Procedure">
        <EditorHead agent={agent} onGoTo={goTo} />
        <Notices isBuilderActive={builderRun.isActive} />
        {view === 'rendered' ? (
          <RenderedProcedure text={text} />
        ) : (
          <Suspense fallback={<Skeleton rows={16} what="the editor" />}>
            <ProcedureEditor
              ref={editor}
              text={text}
              onChange={(typed) => copy.edit(withProcedure(working.config, typed))}
              problems={problems}
              steps={steps}
              language={language}
              isReadOnly={isReadOnly}
              onSave={save}
              onRun={run}
            />
          </Suspense>
        )}
      </section>
      {view === 'beside' ? (
        <section className={style.rendered} aria-label="As it is read">
          <RenderedProcedure text={text} />
        </section>
      ) : (
        <>
          <StepMap
            text={text}
            steps={steps}
            total={checked?.answer.steps_total ?? 0}
            problems={problems}
            onGoTo={goTo}
          />
          <aside className={style.aside} aria-label="Builds, builder and settings">
            <PanelTabs open={panel} builder={builderRun} />
            {panel === 'builds' && <BuildsPanel agent={agent} />}
            {panel === 'builder' && <BuilderPanel agent={agent} builder={builderRun} />}
            {panel === 'settings' && <SettingsPanel isReadOnly={isReadOnly} />}
          </aside>
        </>
      )}
    </div>
  )
}
