// Changes of saved views, each with a way back.
import type { SavedView } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { toast, toastError } from '../toasts.tsx'

interface ViewChangesOptions {
  onRestored: (view: SavedView) => void
  onDeleted: () => void
}

/** Each can be taken back from its message. */
export function useViewChanges(screen: SavedView['screen'], { onRestored, onDeleted }: ViewChangesOptions) {
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['views', screen] })
  const change = useMutation({
    mutationFn: ({ view, ...changes }: { view: SavedView; filter?: SavedView['filter']; is_shared?: boolean }) =>
      runyard.views.update(view.id, changes),
    onSettled: refresh,
    onError: (error) => toastError('The view was not changed', error),
  })
  const removal = useMutation({
    mutationFn: (view: SavedView) => runyard.views.delete(view.id),
    onSettled: refresh,
    onError: (error) => toastError('The view was not deleted', error),
  })
  const restoring = useMutation({
    mutationFn: ({ name, filter, is_shared }: SavedView) => runyard.views.create({ screen, name, filter, is_shared }),
    onSettled: refresh,
    onSuccess: ({ view }) => onRestored(view),
    onError: (error) => toastError('The view was not brought back', error),
  })
  return {
    update(view: SavedView, changes: { filter?: SavedView['filter']; is_shared?: boolean }, says: string) {
      const before = { filter: view.filter, is_shared: view.is_shared }
      change.mutate({ view, ...changes }, { onSuccess: () => toast(says, () => change.mutate({ view, ...before })) })
    },
    remove(view: SavedView) {
      removal.mutate(view, {
        onSuccess() {
          onDeleted()
          toast(`Deleted the view ${view.name}`, () => restoring.mutate(view))
        },
      })
    },
  }
}
