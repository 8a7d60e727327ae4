// One queue: its cases as a board or a table, and what works on them.
import type { Queue } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useSession } from '../../app/session.tsx'
import { useSetting, zoneOf } from '../../app/settings.ts'
import { Button } from '../../parts/Button.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { useCopyAs } from '../../parts/CopyAs.tsx'
import { visible } from '../../parts/visibleText.ts'
import { queueQuery } from '../../queries/queues.ts'
import { DeleteQueue } from '../queues/DeleteQueue.tsx'
import { QueueDialog } from '../queues/QueueDialog.tsx'
import { AddCase } from './AddCase.tsx'
import { caseChoice, caseOrder } from './apiFilter.ts'
import { Cases } from './Cases.tsx'
import style from './QueueScreen.module.css'
import { queueTabs, type QueueSearch, type QueueTab } from './search.ts'
import { useQueueNews } from './useQueueNews.ts'

const WorkTab = lazy(() => import('./work/WorkTab.tsx'))
const ImportCases = lazy(() => import('./import/ImportCases.tsx'))

const route = getRouteApi('/frame/queues/$queueId')
const tabNames: Record<QueueTab, string> = { board: 'Board', table: 'Table', work: 'Work' }

export function QueueScreen() {
  const { queueId } = route.useParams()
  // another queue begins with a state of its own
  return <OneQueue key={queueId} queueId={queueId} />
}

const BackToQueues = () => (
  <Link className="link" to="/queues">
    Queues
  </Link>
)

function OneQueue({ queueId }: { queueId: string }) {
  const queue = useQuery(queueQuery(queueId))
  if (queue.data) return <Opened queue={queue.data} />
  return (
    <>
      <Bar title={<Crumbs back={<BackToQueues />} here="" />} />
      <main className={style.main}>
        {queue.error ? (
          <Failed error={queue.error} onRetry={() => void queue.refetch()} />
        ) : (
          <Skeleton what="the queue" />
        )}
      </main>
    </>
  )
}

function Opened({ queue }: { queue: Queue }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const go = useNavigate()
  const { unable } = useSession()
  const [opened, setOpened] = useState<'add' | 'import' | 'edit' | 'delete'>()
  const [file, setFile] = useState<File>()
  useQueueNews(queue.id)
  const { tab = 'board' } = search
  const cannot = unable('queues:write')
  const close = () => setOpened(undefined)
  const startImport = (given?: File) => {
    setFile(given)
    setOpened('import')
  }
  useCommands([
    { id: 'add-case', label: 'Add a case', icon: 'plus', unable: cannot, run: () => setOpened('add') },
    { id: 'import-cases', label: 'Import cases from a file', icon: 'up', unable: cannot, run: () => startImport() },
    { id: 'edit-queue', label: 'Change this queue', icon: 'edit', unable: cannot, run: () => setOpened('edit') },
  ])
  const zone = zoneOf(useSetting('zone'))
  const copies = useCopyAs({
    operation: 'searchCases',
    params: { queue_id: queue.id },
    // asked for when it is copied: a moment is enough for words such as "today"
    input: { ...caseChoice(search, openedAt, zone), ...caseOrder(search) },
  })
  const change = (changes: Partial<QueueSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...changes, page: undefined }), replace: 'search' in changes })
  return (
    <>
      <Bar
        isCrowded
        title={<Crumbs back={<BackToQueues />} here={<h1 className="cut">{visible(queue.name)}</h1>} />}
        tabs={
          <Tabs
            label="Queue"
            tabs={queueTabs.map((each) => ({
              label: tabNames[each],
              isOpen: each === tab,
              link: {
                to: '/queues/$queueId',
                params: { queueId: queue.id },
                search: { ...search, tab: each === 'board' ? undefined : each, page: undefined },
              },
            }))}
          />
        }
      >
        <Menu
          label="Queue"
          trigger={<Button kind="quiet" icon="more" aria-label="More of this queue" />}
          items={[
            { label: 'Import a file…', icon: 'up', unable: cannot, onSelect: () => startImport() },
            { label: 'Change the queue…', icon: 'edit', unable: cannot, onSelect: () => setOpened('edit') },
            { label: 'Delete the queue…', icon: 'trash', unable: cannot, onSelect: () => setOpened('delete') },
            ...copies.map(({ form, copy }) => ({
              label: `Copy as ${form}`,
              icon: 'copy' as const,
              onSelect: copy,
            })),
          ]}
        />
        <Button kind="go" icon="plus" unable={cannot} onClick={() => setOpened('add')}>
          Add case
        </Button>
      </Bar>
      {tab === 'work' ? (
        <main className={style.page}>
          <Suspense fallback={<Skeleton what="the agents" />}>
            <WorkTab queue={queue} />
          </Suspense>
        </main>
      ) : (
        <Cases
          queue={queue}
          search={search}
          zone={zone}
          tab={tab}
          onChange={change}
          onAdd={() => setOpened('add')}
          onFile={startImport}
        />
      )}
      {opened === 'add' && <AddCase queueId={queue.id} onClose={close} />}
      {opened === 'edit' && <QueueDialog queue={queue} onClose={close} />}
      {opened === 'delete' && (
        <DeleteQueue queue={queue} onClose={close} onDeleted={() => void go({ to: '/queues', replace: true })} />
      )}
      <Suspense>{opened === 'import' && <ImportCases queue={queue} file={file} onClose={close} />}</Suspense>
    </>
  )
}

const openedAt = Date.now()
