// One artifact: its page in a sandboxed frame, and beside it the chat that changes it, its revisions, and where its data comes from.
import type { Artifact } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { useKeys } from '../../app/keys.ts'
import { classes } from '../../look/classes.ts'
import { Button } from '../../parts/Button.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { visible } from '../../parts/visibleText.ts'
import { artifactQuery, artifactRevisionsQuery, isWorking } from '../../queries/artifacts.ts'
import { titleOf } from '../artifacts/artifactWords.ts'
import { Actions } from './Actions.tsx'
import style from './ArtifactScreen.module.css'
import { Chat } from './Chat.tsx'
import { DataPanel } from './DataPanel.tsx'
import { PageFrame } from './PageFrame.tsx'
import { RefreshLine } from './RefreshLine.tsx'
import { RestoreButton } from './RestoreButton.tsx'
import { Revisions } from './Revisions.tsx'
import { panels, type Panel } from './search.ts'
import type { Selected } from './selected.ts'

const route = getRouteApi('/frame/artifacts/$artifactId')
const names: Record<Panel, string> = { chat: 'Chat', revisions: 'Revisions', data: 'Data' }

export function ArtifactScreen() {
  const { artifactId } = route.useParams()
  const artifact = useQuery(artifactQuery(artifactId))
  const found = artifact.data
  return (
    <>
      <Bar
        isCrowded
        title={
          <Crumbs
            back={<Link to="/artifacts">Artifacts</Link>}
            here={<span className="cut">{found && visible(titleOf(found.artifact))}</span>}
          />
        }
      >
        {found && <Actions artifact={found.artifact} isCreator={found.is_creator} canEdit={found.can_edit} />}
      </Bar>
      <main className={style.main}>
        <Shown query={artifact} what="the artifact">
          {(answer) => <Page key={answer.artifact_id} artifact={answer.artifact} canEdit={answer.can_edit} />}
        </Shown>
      </main>
    </>
  )
}

function Page({ artifact, canEdit }: { artifact: Artifact; canEdit: boolean }) {
  const { panel = 'chat', revision } = route.useSearch()
  const [isSelecting, setSelecting] = useState(false)
  const [selected, setSelected] = useState<Selected>()
  const revisions = useQuery(artifactRevisionsQuery(artifact))
  const shown = revisions.data?.revisions.find(({ id }) => id === revision)
  const isOlder = shown !== undefined && shown.id !== artifact.current_revision_id
  useKeys([
    { keys: 'Escape', says: 'Stop selecting', where: 'Artifact', run: () => setSelecting(false) },
    {
      keys: 'e',
      says: 'Select an element of the page',
      where: 'Artifact',
      run: () => canEdit && !isOlder && artifact.html_code_present && setSelecting(!isSelecting),
    },
  ])
  const base = `/v2/artifacts/${encodeURIComponent(artifact.id)}`
  return (
    <div className={style.columns}>
      <section className={style.left} aria-label="Page">
        {isOlder ? (
          <p className={classes(style.line, style.other)}>
            <span>
              You look at revision {shown.version}. The current one is {artifact.current_version}.
            </span>
            <span className={style.gap} />
            <Link
              className="link"
              to="/artifacts/$artifactId"
              params={{ artifactId: artifact.id }}
              search={{ panel: 'revisions' }}
            >
              Show the current one
            </Link>
            <RestoreButton artifact={artifact} revision={shown} canEdit={canEdit} />
          </p>
        ) : isSelecting ? (
          <p className={style.line} role="status">
            Click an element of the page, or move with Tab and choose with Enter.
            <span className={style.gap} />
            <Button kind="quiet" onClick={() => setSelecting(false)} keys={['Esc']}>
              Stop selecting
            </Button>
          </p>
        ) : (
          <RefreshLine artifact={artifact} />
        )}
        {artifact.html_code_present ? (
          <PageFrame
            title={`Page of ${titleOf(artifact)}`}
            path={isOlder ? `${base}/revisions/${encodeURIComponent(shown.id)}/render` : `${base}/render/selectable`}
            version={`${artifact.current_revision_id} ${artifact.last_refresh_at}`}
            isSelecting={isSelecting && !isOlder}
            onSelected={(element) => {
              setSelected(element)
              setSelecting(false)
            }}
            onCancelled={() => setSelecting(false)}
          />
        ) : (
          <Empty icon="artifacts" title={isWorking(artifact) ? 'The page is being made' : 'There is no page yet'}>
            {artifact.pending_question
              ? 'It asks something first: answer in the chat.'
              : 'The chat says how far it is, and why it failed if it did.'}
          </Empty>
        )}
      </section>
      <aside className={style.right} aria-label="About the page">
        <div className={style.tabs}>
          <Tabs
            label="About the page"
            tabs={panels.map((one) => ({
              label: names[one],
              count: one === 'revisions' ? revisions.data?.total : undefined,
              isOpen: one === panel,
              link: {
                to: '/artifacts/$artifactId',
                params: { artifactId: artifact.id },
                search: { ...(one !== 'chat' && { panel: one }), ...(revision !== undefined && { revision }) },
              },
            }))}
          />
        </div>
        {panel === 'chat' && (
          <Chat
            artifact={artifact}
            canEdit={canEdit}
            fromRevision={isOlder ? shown : undefined}
            selected={selected}
            onSelected={setSelected}
            isSelecting={isSelecting}
            onSelecting={setSelecting}
          />
        )}
        {panel === 'revisions' && <Revisions artifact={artifact} canEdit={canEdit} shown={revision} />}
        {panel === 'data' && <DataPanel artifact={artifact} canEdit={canEdit} />}
      </aside>
    </div>
  )
}
