// The files of a sandbox: the tree with the chosen one beside it, and a place to drop more. What is dropped goes to the chosen folder.
import type { Sandbox } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef, useState, type DragEvent } from 'react'
import { useCommands } from '../../../app/commands.ts'
import { useKeys } from '../../../app/keys.ts'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Icon } from '../../../look/Icon.tsx'
import { bytes } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { FilePreview } from '../../../parts/files/FilePreview.tsx'
import beside from '../../../parts/files/FilesBeside.module.css'
import { FileTree, type FilesPlace } from '../../../parts/files/FileTree.tsx'
import { shortPath } from '../../../parts/files/preview.ts'
import { Meter } from '../../../parts/Meter.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { sandboxFileQuery, sandboxFilesQuery } from '../../../queries/sandboxes.ts'
import { chosenFiles, droppedFiles, type DroppedFile } from '../upload/droppedFiles.ts'
import { startUpload } from '../upload/startUpload.ts'
import { useSending } from '../upload/underWay.ts'
import { DeleteFile } from './DeleteFile.tsx'
import style from './FilesTab.module.css'

const route = getRouteApi('/frame/sandboxes/$sandboxId')

export function FilesTab({ sandbox: { sandbox_id: id } }: { sandbox: Sandbox }) {
  const { profile, unable } = useSession()
  const { file, folder } = route.useSearch()
  const navigate = route.useNavigate()
  const [isOver, setOver] = useState(false)
  const [leaving, setLeaving] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const files = useQuery(sandboxFilesQuery(id))
  const cannot = unable('sandboxes:write')
  // read at once: the browser forgets what was chosen or dropped
  const send = (read: () => Promise<DroppedFile[]> | DroppedFile[]) => {
    new Promise<DroppedFile[]>((resolve) => resolve(read()))
      .then((found) => found.length > 0 && startUpload(found, { sandbox: id, folder, member: profile.id }))
      .catch((error: unknown) => toastError('Nothing was uploaded', error))
  }
  const choose = () => cannot === undefined && input.current?.click()
  useKeys([{ keys: 'u', says: 'Upload files', where: 'Sandbox', run: choose }])
  useCommands([{ id: 'upload', label: 'Upload files', icon: 'up', unable: cannot, run: choose }])
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (cannot === undefined) send(() => droppedFiles(event.dataTransfer))
    else toastError('Nothing was uploaded', new Error(cannot))
  }
  const place: FilesPlace = {
    folderQuery: (path) => sandboxFilesQuery(id, path),
    linkTo: (path) => ({
      to: '/sandboxes/$sandboxId',
      params: { sandboxId: id },
      search: (now: object) => ({ ...now, file: path }),
      activeOptions: { exact: true, includeSearch: true },
    }),
    shown: file,
    folder,
    onFolder: (path) =>
      void navigate({ search: (now) => ({ ...now, folder: path === folder ? undefined : path }), replace: true }),
  }
  const upload = (
    <Button kind="go" icon="up" keys={['U']} unable={cannot} onClick={choose}>
      Upload
    </Button>
  )
  return (
    <div
      className={classes(style.drop, isOver && style.over)}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={onDrop}
    >
      <div className={style.head}>
        <span className={style.into}>
          <Icon name="up" size={14} />
          <span className="cut">
            {isOver ? 'Drop them to upload to' : 'Drop files here; they go to'}{' '}
            <code>{folder === undefined ? '/workspace' : visible(folder)}</code>
          </span>
        </span>
        {folder !== undefined && (
          <Button kind="quiet" icon="trash" unable={cannot} onClick={() => setLeaving(folder)}>
            Delete the folder
          </Button>
        )}
        {upload}
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={({ target }) => {
            const { files: chosen } = target
            if (chosen) send(() => chosenFiles(chosen))
            target.value = ''
          }}
        />
      </div>
      <Sending sandboxId={id} />
      <Shown query={files} what="files">
        {(entries) =>
          entries.length === 0 ? (
            <Empty icon="file" title="No files yet" command={`runyard sandbox cp orders.csv ${id}:in/orders.csv`}>
              Drop files or folders anywhere on this page. Commands find them in /workspace.
            </Empty>
          ) : (
            <div className={beside.files}>
              <nav className={beside.list} aria-label="Files">
                <FileTree entries={entries} place={place} />
              </nav>
              <div className={beside.shown}>
                {file === undefined ? (
                  <p className={beside.hint}>Choose a file to see what is in it.</p>
                ) : (
                  <FilePreview key={file} query={sandboxFileQuery(id, file)}>
                    <Button kind="quiet" icon="trash" unable={cannot} onClick={() => setLeaving(file)}>
                      Delete
                    </Button>
                  </FilePreview>
                )}
              </div>
            </div>
          )
        }
      </Shown>
      {leaving !== undefined && (
        <DeleteFile
          sandboxId={id}
          path={leaving}
          onClose={() => setLeaving(undefined)}
          onDeleted={() =>
            void navigate({
              search: (now) => ({
                ...now,
                ...(now.file !== undefined && isWithin(now.file, leaving) && { file: undefined }),
                ...(now.folder !== undefined && isWithin(now.folder, leaving) && { folder: undefined }),
              }),
              replace: true,
            })
          }
        />
      )}
    </div>
  )
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Those that are on their way in this tab; the foot of the page counts all of the upload. */
function Sending({ sandboxId }: { sandboxId: string }) {
  const mine = useSending().filter(({ sandbox }) => sandbox === sandboxId)
  if (mine.length === 0) return null
  return (
    <ul className={style.sending} aria-label="Files on their way">
      {mine.map(({ path, sent, total }) => (
        <li key={path}>
          <span className="cut">{visible(shortPath(path))}</span>
          <Meter
            share={total === 0 ? 1 : sent / total}
            says={`${bytes(sent)} of ${bytes(total)} of ${path}`}
            width={120}
          />
          <span className="dim small">
            {bytes(sent)} of {bytes(total)}
          </span>
        </li>
      ))}
    </ul>
  )
}
