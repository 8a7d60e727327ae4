// The four lists of what runs are given: who may see and change each, and what adds one.
import type { ComponentType } from 'react'
import type { Scope } from '../../../app/session.tsx'
import type { GivenKind } from '../../../queries/given.ts'
import type { ConnectionsSearch } from '../search.ts'
import { FilesTab } from './FilesTab.tsx'
import { LoginsTab } from './LoginsTab.tsx'
import { SecretsTab } from './SecretsTab.tsx'
import { SkillsTab } from './SkillsTab.tsx'
import type { TabProps } from './tabProps.ts'

interface GivenTab {
  kind: GivenKind
  label: string
  reads: Scope
  writes: Scope
  /** The button that adds one, and the dialog that it opens. */
  verb: string
  adds: NonNullable<ConnectionsSearch['new']>
  Tab: ComponentType<TabProps>
}

export const givenTabs: GivenTab[] = [
  {
    kind: 'secrets',
    label: 'Secrets',
    reads: 'agents:read',
    writes: 'secrets:write',
    verb: 'New secret',
    adds: 'secret',
    Tab: SecretsTab,
  },
  {
    kind: 'logins',
    label: 'Logins',
    reads: 'agents:read',
    writes: 'secrets:write',
    verb: 'New login',
    adds: 'login',
    Tab: LoginsTab,
  },
  {
    kind: 'skills',
    label: 'Skills',
    reads: 'agents:read',
    writes: 'agents:write',
    verb: 'New skill',
    adds: 'skill',
    Tab: SkillsTab,
  },
  {
    kind: 'files',
    label: 'Files',
    reads: 'files:read',
    writes: 'agents:write',
    verb: 'New file',
    adds: 'file',
    Tab: FilesTab,
  },
]
