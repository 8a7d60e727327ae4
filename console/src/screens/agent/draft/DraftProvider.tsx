// The working copy of the agent that is shown: one for all its tabs, so that what was typed is saved whichever tab is opened next.
import type { Build, BuildConfig } from '@runyard/sdk'
import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { storageOfBrowser } from '../../../parts/browserStorage.ts'
import { buildQuery, buildsQuery } from '../../../queries/agents.ts'
import { localCopies } from './localCopies.ts'
import { useCheck, type Checked } from './useCheck.ts'
import { WorkingCopy, type Working } from './workingCopy.ts'

export interface Draft {
  working: Working
  copy: WorkingCopy
  /** What the server last said about it. */
  checked: Checked | undefined
  errors: number
}

const DraftContext = createContext<Draft | undefined>(undefined)

export function useDraft(): Draft {
  const draft = use(DraftContext)
  if (!draft) throw new Error('useDraft outside of DraftProvider')
  return draft
}

/** `build` is the one to show. `onOpen` is called when what was typed became another build. */
export function DraftProvider({
  build,
  onOpen,
  children,
}: {
  build: Build
  onOpen: (buildId: string) => void
  children: ReactNode
}) {
  const { copy, working } = useWorkingCopy(build)
  const checked = useCheck(working.config, (config, answer) =>
    // where nobody could be asked, the save itself finds out
    copy.checked(config, answer !== undefined && countErrors(answer) > 0),
  )
  const opened = useEffectEvent(onOpen)
  useEffect(() => copy.open(build), [copy, build])
  const { id } = working.base
  useEffect(() => opened(id), [id])
  useEffect(() => {
    const leave = (event: BeforeUnloadEvent) => {
      copy.keepNow()
      if (!copy.now.isKept && copy.now.phase !== 'saved') event.preventDefault()
    }
    window.addEventListener('beforeunload', leave)
    return () => {
      window.removeEventListener('beforeunload', leave)
      copy.stop()
    }
  }, [copy])
  const errors = checked ? countErrors(checked.answer) : 0
  const draft = useMemo(() => ({ working, copy, checked, errors }), [working, copy, checked, errors])
  return <DraftContext value={draft}>{children}</DraftContext>
}

const countErrors = ({ problems, config_problems }: Checked['answer']): number =>
  problems.filter(({ severity }) => severity === 'error').length + config_problems.length

function useWorkingCopy(build: Build): { copy: WorkingCopy; working: Working } {
  const queries = useQueryClient()
  const { profile } = useSession()
  const [{ copy, listeners }] = useState(() => {
    const told = new Set<() => void>()
    /** What the server answered is what is shown from now on, in every list. */
    const learn = (saved: Build): Build => {
      queries.setQueryData(buildQuery(saved.agent_id, saved.id).queryKey, saved)
      void queries.invalidateQueries({ queryKey: buildsQuery(saved.agent_id).queryKey })
      void queries.invalidateQueries({ queryKey: ['agent', saved.agent_id, 'diff'] })
      void queries.invalidateQueries({ queryKey: ['agent', saved.agent_id, 'promotion'] })
      void queries.invalidateQueries({ queryKey: ['agentFigures'] })
      return saved
    }
    const options = {
      copies: localCopies(storageOfBrowser(), profile.id),
      update: async (base: Build, config: BuildConfig) =>
        learn((await runyard.agents.updateRevision(base.id, { config, expected_updated_at: base.updated_at })).build),
      create: async (base: Build, config: BuildConfig) =>
        learn((await runyard.agents.createRevision(base.agent_id, { config, source_build_id: base.id })).build),
      read: async (buildId: string) => learn((await runyard.agents.getRevision(build.agent_id, buildId)).build),
      onChange: () => {
        for (const listener of told) listener()
      },
    }
    return { copy: new WorkingCopy(build, options), listeners: told }
  })
  const working = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => copy.now,
  )
  return { copy, working }
}
