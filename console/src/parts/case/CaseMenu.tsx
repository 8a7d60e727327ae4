// What can be done with a case, as a menu: every column of the board, and what the board cannot show.
import type { Case } from '@runyard/sdk'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { Button } from '../Button.tsx'
import { Menu, type MenuItem } from '../Menu.tsx'
import { copy } from '../CopyText.tsx'
import { toast } from '../toasts.tsx'
import { visible } from '../visibleText.ts'
import { isHeldByOther, moveTo } from './moves.ts'
import { caseStatuses, caseStatusWords, type CaseStatus } from './words.ts'

const AssignCase = lazy(() => import('./AssignCase.tsx'))
const LabelCase = lazy(() => import('./LabelCase.tsx'))
const PriorityCase = lazy(() => import('./PriorityCase.tsx'))
const DeleteCase = lazy(() => import('./DeleteCase.tsx'))

type Opened = 'assign' | 'labels' | 'priority' | 'delete'

interface CaseMenuProps {
  item: Case
  onMove: (item: Case, to: CaseStatus) => void
  onDeleted?: () => void
}

export function CaseMenu({ item, onMove, onDeleted }: CaseMenuProps) {
  const { profile, unable } = useSession()
  const [opened, setOpened] = useState<Opened>()
  const cannot = unable('queues:write')
  const close = () => setOpened(undefined)
  const isTheirs = isHeldByOther(item, profile)
  const whyNotAssign =
    item.claimed_by_run_id !== null
      ? 'A run holds it.'
      : isTheirs && profile.role !== 'admin'
        ? 'Another member holds it. Ask them to release it, or an admin to assign it.'
        : item.status === 'pending'
          ? undefined
          : 'It has ended. Make it pending first.'
  const moves = caseStatuses
    .filter((to) => to !== 'needs_input' && (to !== item.display_status || (isTheirs && to === 'in_progress')))
    .map((to): MenuItem => {
      const { whyNot } = moveTo(item, to, profile)
      return {
        label: (isTheirs && takeWords[to]) || moveWords[to],
        unable: cannot ?? whyNot,
        onSelect: () => onMove(item, to),
      }
    })
  return (
    <>
      <Menu
        label={`Case ${visible(item.title)}`}
        trigger={<Button kind="quiet" icon="more" aria-label={`Actions of “${visible(item.title)}”`} />}
        items={[
          ...moves,
          { label: 'Assign…', icon: 'user', unable: cannot ?? whyNotAssign, onSelect: () => setOpened('assign') },
          { label: 'Labels…', icon: 'edit', unable: cannot, onSelect: () => setOpened('labels') },
          { label: 'Priority…', icon: 'up', unable: cannot, onSelect: () => setOpened('priority') },
          {
            label: 'Copy the id',
            icon: 'copy',
            onSelect: () => void copy(item.id).then(() => toast('Copied the id of the case')),
          },
          { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => setOpened('delete') },
        ]}
      />
      <Suspense>
        {opened === 'assign' && <AssignCase item={item} onClose={close} />}
        {opened === 'labels' && <LabelCase item={item} onClose={close} />}
        {opened === 'priority' && <PriorityCase item={item} onClose={close} />}
        {opened === 'delete' && <DeleteCase item={item} onClose={close} onDeleted={onDeleted} />}
      </Suspense>
    </>
  )
}

/** The same for a case of another member. */
const takeWords: Partial<Record<CaseStatus, string>> = { pending: 'Release…', in_progress: 'Take over…' }

const moveWords: Record<CaseStatus, string> = {
  pending: 'Make it pending',
  in_progress: 'Claim',
  needs_input: caseStatusWords.needs_input,
  postponed: 'Postpone…',
  completed: 'Complete',
  failed: 'Fail…',
}
