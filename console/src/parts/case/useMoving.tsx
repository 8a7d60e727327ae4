// Moves a case for a person: asks what the move needs, makes it, says what was done, and offers the way back.
import type { Case } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { toast, toastError } from '../toasts.tsx'
import { visible } from '../visibleText.ts'
import { MoveDialog } from './MoveDialog.tsx'
import { moveTo, wayBack, type Move } from './moves.ts'
import { caseStatusWords, type CaseStatus } from './words.ts'

export interface Said {
  reason?: string
  /** When a postponed case comes back. */
  until?: string
}

interface Wanted extends Said {
  item: Case
  move: Move
}

async function make({ item, move, reason, until }: Wanted): Promise<void> {
  const why = reason === undefined || reason === '' ? {} : { reason }
  switch (move.kind) {
    case 'claim':
      return void (await runyard.cases.claim(item.id))
    case 'release':
      return void (await runyard.cases.release(item.id, why))
    case 'complete':
      return void (await runyard.cases.complete(item.id))
    case 'fail':
      return void (await runyard.cases.fail(item.id, why))
    case 'postpone':
      return void (await runyard.cases.postpone(item.id, {
        ...(until !== undefined && { postponed_to: until }),
        ...why,
      }))
    case 'takeOver':
      return void (await runyard.cases.takeOver(item.id, {
        held_by_user_id: item.claimed_by_user_id ?? '',
        ...(move.to === 'pending' && { assignee_user_id: null }),
        ...why,
      }))
    case 'set': {
      const status = move.to === 'completed' || move.to === 'failed' ? move.to : 'pending'
      const { updated_count } = await runyard.cases.bulkUpdateStatus(item.queue_id, { case_ids: [item.id], status })
      if (updated_count === 0) throw new Error('Another member holds it by now.')
    }
  }
}

/** Everything that may be old when a case has moved. */
export function useCaseRefresh(): (item: Pick<Case, 'id' | 'queue_id'>) => void {
  const queries = useQueryClient()
  return ({ id, queue_id }) => {
    for (const queryKey of [
      ['case', id],
      ['cases', queue_id],
      ['queue', queue_id],
      ['queueWork', queue_id],
      ['queues'],
    ])
      void queries.invalidateQueries({ queryKey })
  }
}

interface Moving {
  begin: (item: Case, to: CaseStatus) => void
  /** The case that is being moved now. */
  movedId: string | undefined
  dialog: ReactNode
}

const shortTitle = ({ title }: Case): string => visible(title.length > 40 ? `${title.slice(0, 39)}…` : title)

export function useMoving(): Moving {
  const { profile, unable } = useSession()
  const refresh = useCaseRefresh()
  const [asked, setAsked] = useState<{ item: Case; move: Move }>()
  const moving = useMutation({
    mutationFn: make,
    onSuccess(_, { item, move }) {
      setAsked(undefined)
      const back = wayBack(item, move, profile)
      const says = `“${shortTitle(item)}” is ${caseStatusWords[move.to].toLowerCase()}`
      toast(says, back && (() => moving.mutate({ item, move: back })))
    },
    onError: (error, { item }) => toastError(`“${shortTitle(item)}” was not moved`, error),
    onSettled: (_, __, { item }) => refresh(item),
  })
  return {
    begin(item, to) {
      const { move, whyNot } = moveTo(item, to, profile)
      const cannot = unable('queues:write') ?? whyNot
      if (cannot !== undefined || !move) return toast(cannot ?? '')
      if (move.asks === undefined) moving.mutate({ item, move })
      else setAsked({ item, move })
    },
    movedId: moving.isPending ? moving.variables.item.id : undefined,
    dialog: asked && (
      <MoveDialog
        item={asked.item}
        move={asked.move}
        isBusy={moving.isPending}
        onClose={() => setAsked(undefined)}
        onSay={(said) => moving.mutate({ ...asked, ...said })}
      />
    ),
  }
}
