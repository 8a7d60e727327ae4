// Above the editor: which text this is, whether it is saved, what is wrong with it, and how it is shown.
import type { Agent } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { relativeTime, useNow } from '../../../parts/Time.tsx'
import { buildsQuery } from '../../../queries/agents.ts'
import { buildTitle, isOpenDraft } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import type { Phase, Working } from '../draft/workingCopy.ts'
import style from './EditorHead.module.css'
import { SaveAsBuild } from './SaveAsBuild.tsx'
import { ViewSwitch } from './ViewSwitch.tsx'

export function EditorHead({ agent, onGoTo }: { agent: Agent; onGoTo: (line: number) => void }) {
  const { unable } = useSession()
  const { working, checked, errors } = useDraft()
  const [isNaming, setNaming] = useState(false)
  const { base, phase } = working
  const first = checked?.answer.problems.find(({ severity }) => severity === 'error')
  const isNameable = isOpenDraft(base) || phase !== 'saved'
  const cannotName =
    unable('agents:write') ??
    (errors > 0 ? `Fix ${errors === 1 ? 'the error' : 'the errors'} first.` : undefined) ??
    (phase === 'conflict' ? 'Decide first which of the two texts counts.' : undefined)
  return (
    <header className={style.head}>
      <b className={style.title}>{isNameable ? 'Draft' : `Build ${base.revision_number}`}</b>
      <span className={style.state} aria-live="polite">
        <StateWords agentId={agent.id} working={working} />
      </span>
      <span className={style.gap} />
      {errors > 0 && (
        <button type="button" className={style.errors} onClick={() => first && onGoTo(first.line)}>
          <StatusShape shape="failed" size={14} />
          {counted(errors, 'error')}
          {first && `, line ${first.line}`}
        </button>
      )}
      <ViewSwitch />
      {isNameable && (
        <Button unable={cannotName} onClick={() => setNaming(true)}>
          Save as build
        </Button>
      )}
      {isNaming && <SaveAsBuild onClose={() => setNaming(false)} />}
    </header>
  )
}

/** What is to be said while the server does not have it: in the fewest words, for the head is narrow. */
const unsaved: Partial<Record<Phase, { words: string; says: string; isBad?: boolean }>> = {
  typing: { words: 'changed', says: 'Kept in this browser, and saved in a moment.' },
  held: { words: 'not saved', says: 'Kept in this browser. It is saved as a draft as soon as it has no errors.' },
  saving: { words: 'saving…', says: 'Kept in this browser until it is saved.' },
  failed: { words: 'not saved', says: 'Kept in this browser.', isBad: true },
  conflict: { words: 'not saved', says: 'Somebody else changed the same draft.', isBad: true },
}

/** What is saved where, in a few words. */
function StateWords({ agentId, working }: { agentId: string; working: Working }) {
  const { base, phase, error } = working
  const builds = useQuery(buildsQuery(agentId))
  const now = useNow(1000)
  const parent = builds.data?.builds.find(({ id }) => id === base.parent_build_id)
  const of = isOpenDraft(base)
    ? parent && parent.agent_id === agentId
      ? `of build ${parent.revision_number} · `
      : ''
    : `of build ${base.revision_number} · `
  const said = unsaved[phase]
  if (said)
    return (
      <span className={classes(said.isBad && style.failed)} title={error instanceof Error ? error.message : said.says}>
        {of}
        {said.words}
      </span>
    )
  if (isOpenDraft(base))
    return (
      <>
        {of}saved {relativeTime(base.updated_at, Math.max(now, Date.parse(base.updated_at)))}
      </>
    )
  return (
    <>
      {base.status === 'live' && <Tag tone="live">live</Tag>} {base.revision_name !== null && `${buildTitle(base)} · `}
      typing makes a draft of it
    </>
  )
}
