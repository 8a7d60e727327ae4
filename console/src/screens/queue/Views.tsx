// The saved views of a queue's cases, as a menu: show one, save the filters of now, share, rename, delete.
import type { SavedView } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { Menu, type MenuItem } from '../../parts/Menu.tsx'
import { useViewChanges } from '../../parts/views/useViewChanges.ts'
import { visible } from '../../parts/visibleText.ts'
import { viewsQuery } from '../../queries/views.ts'
import style from '../runs/OrderMenu.module.css'
import { isSameView, searchOfView, viewFilterOf, type QueueSearch } from './search.ts'

const SaveView = lazy(() => import('../../parts/views/SaveView.tsx'))

export function Views({ queueId, search }: { queueId: string; search: QueueSearch }) {
  const { data: all = [] } = useQuery(viewsQuery('cases'))
  const { profile } = useSession()
  const navigate = useNavigate()
  const [naming, setNaming] = useState<'new' | 'rename'>()
  const views = all.filter(({ filter }) => filter['queue_id'] === queueId)
  const open = views.find(({ id }) => id === search.view)
  const to = { to: '/queues/$queueId', params: { queueId } } as const
  const show = (view: SavedView, replace = false) =>
    void navigate({ ...to, search: { ...searchOfView(view.filter), view: view.id }, replace })
  const showAll = () => void navigate({ ...to, search: {}, replace: true })
  const changes = useViewChanges('cases', { onRestored: (view) => show(view, true), onDeleted: showAll })
  const isChanged = open !== undefined && !isSameView(queueId, search, open.filter)
  const name = open ? `${visible(open.name)}${isChanged ? ', changed' : ''}` : 'All cases'
  return (
    <>
      <Menu
        label="Views"
        trigger={
          <button type="button" className={style.order} aria-label={`View: ${name}`}>
            <span className="cut">{name}</span>
            <Icon name="down" size={12} />
          </button>
        }
        items={[
          { label: 'All cases', isChecked: search.view === undefined, onSelect: showAll },
          ...views.map((view) => ({
            label: visible(view.name),
            isChecked: view === open,
            onSelect: () => show(view),
          })),
          { label: 'Save these filters as a view…', icon: 'plus', onSelect: () => setNaming('new') },
          ...(open?.user_id === profile.id ? own(open) : []),
        ]}
      />
      <Suspense>
        {naming && (
          <SaveView
            screen="cases"
            view={naming === 'rename' ? open : undefined}
            filter={viewFilterOf(queueId, search)}
            onSaved={show}
            onClose={() => setNaming(undefined)}
          />
        )}
      </Suspense>
    </>
  )

  function own(view: SavedView): MenuItem[] {
    return [
      {
        label: 'Save the filters as they are now',
        icon: 'check',
        unable: isChanged ? undefined : 'They are as they were saved.',
        onSelect: () => changes.update(view, { filter: viewFilterOf(queueId, search) }, 'Saved the filters'),
      },
      { label: 'Rename the view', icon: 'edit', onSelect: () => setNaming('rename') },
      {
        label: view.is_shared ? 'Keep it for myself' : 'Share it with the team',
        icon: view.is_shared ? 'lock' : 'members',
        onSelect: () =>
          changes.update(
            view,
            { is_shared: !view.is_shared },
            view.is_shared ? 'Only you see this view now' : 'The team sees this view now',
          ),
      },
      { label: 'Delete the view', icon: 'trash', onSelect: () => changes.remove(view) },
    ]
  }
}
