// The saved views of the list as tabs, and what one can do with the open one.
import type { SavedView } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { useViewChanges } from '../../parts/views/useViewChanges.ts'
import { viewsQuery } from '../../queries/views.ts'
import { isSameView, searchOfView, viewFilterOf, type RunsSearch } from './search.ts'
import style from './ViewTabs.module.css'

const SaveView = lazy(() => import('../../parts/views/SaveView.tsx'))

export function ViewTabs({ search }: { search: RunsSearch }) {
  const { data: views = [] } = useQuery(viewsQuery('runs'))
  const { profile } = useSession()
  const [naming, setNaming] = useState<'new' | 'rename'>()
  const open = views.find(({ id }) => id === search.view)
  const isMine = open?.user_id === profile.id
  const isChanged = open !== undefined && !isSameView(search, open.filter)
  const navigate = useNavigate()
  const show = (view: SavedView, replace: boolean) =>
    void navigate({ to: '/runs', search: { ...searchOfView(view.filter), view: view.id }, replace })
  const changes = useViewChanges('runs', {
    onRestored: (view) => show(view, true),
    onDeleted: () =>
      void navigate({ to: '/runs', search: { ...search, view: undefined } as RunsSearch, replace: true }),
  })
  return (
    <>
      <Tabs
        label="Views"
        tabs={[
          { label: 'All', isOpen: search.view === undefined, link: { to: '/runs', search: {} } },
          ...views.map((view) => ({
            label: <ViewName view={view} isChanged={view === open && isChanged} />,
            isOpen: view.id === search.view,
            link: { to: '/runs' as const, search: { ...searchOfView(view.filter), view: view.id } },
          })),
        ]}
      />
      {open && isMine && (
        <Menu
          label={`View ${open.name}`}
          trigger={
            <button type="button" className={style.more} aria-label={`Change the view ${open.name}`}>
              <Icon name="more" />
            </button>
          }
          items={[
            {
              label: 'Save the filters as they are now',
              icon: 'check',
              unable: isChanged ? undefined : 'They are as they were saved.',
              onSelect: () => changes.update(open, { filter: viewFilterOf(search) }, 'Saved the filters'),
            },
            { label: 'Rename', icon: 'edit', onSelect: () => setNaming('rename') },
            {
              label: open.is_shared ? 'Keep for myself' : 'Share with the team',
              icon: open.is_shared ? 'lock' : 'members',
              onSelect: () =>
                changes.update(
                  open,
                  { is_shared: !open.is_shared },
                  open.is_shared ? 'Only you see this view now' : 'The team sees this view now',
                ),
            },
            { label: 'Delete', icon: 'trash', onSelect: () => changes.remove(open) },
          ]}
        />
      )}
      <button type="button" className={style.save} onClick={() => setNaming('new')}>
        <Icon name="plus" size={14} />
        Save view
      </button>
      <Suspense>
        {naming && (
          <SaveView
            screen="runs"
            onSaved={(view) => show(view, false)}
            view={naming === 'rename' ? open : undefined}
            filter={viewFilterOf(search)}
            onClose={() => setNaming(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

function ViewName({ view, isChanged }: { view: SavedView; isChanged: boolean }) {
  return (
    <span className={style.name} title={`${view.name}${view.is_shared ? ', shared with the team' : ''}`}>
      <span className="cut">{view.name}</span>
      {isChanged && (
        <i className={style.changed} title="The filters differ from those that were saved">
          <span className="forReaders">, filters changed</span>
        </i>
      )}
    </span>
  )
}
