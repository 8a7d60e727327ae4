// Files as a tree; folders open in place. Where a file leads to, and how a folder is read, is said by whose files they are.
import type { WorkspaceEntry } from '@runyard/sdk'
import { useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '../../app/client.ts'
import { Icon } from '../../look/Icon.tsx'
import { bytes } from '../amounts.ts'
import { visible } from '../visibleText.ts'
import style from './FileTree.module.css'

/** Whose files they are. */
export interface FilesPlace {
  folderQuery: (path: string) => UseQueryOptions<WorkspaceEntry[], Error, WorkspaceEntry[], string[]>
  linkTo: (path: string) => LinkProps
  /** The file that is shown. */
  shown: string | undefined
  /** The folder that somebody chose. */
  folder?: string | undefined
  onFolder?: (path: string) => void
}

/** More entries of a folder are shown when somebody wants them. */
const shownAtFirst = 200

interface FileTreeProps {
  entries: WorkspaceEntry[]
  place: FilesPlace
  depth?: number
}

export function FileTree({ entries, place, depth = 0 }: FileTreeProps) {
  const [shown, setShown] = useState(shownAtFirst)
  return (
    <ul className={style.list}>
      {entries
        .slice(0, shown)
        .map((entry) =>
          entry.type === 'dir' ? (
            <Folder key={entry.path} entry={entry} place={place} depth={depth} />
          ) : (
            <File key={entry.path} entry={entry} place={place} depth={depth} />
          ),
        )}
      {entries.length > shown && (
        <li>
          <button type="button" className={style.row} onClick={() => setShown(shown + 1000)}>
            {entries.length - shown} more
          </button>
        </li>
      )}
    </ul>
  )
}

const indent = (depth: number) => ({ paddingLeft: `calc(var(--pad) + ${Math.min(depth, 8) * 14}px)` })

interface RowProps {
  entry: WorkspaceEntry
  place: FilesPlace
  depth: number
}

function File({ entry, place, depth }: RowProps) {
  return (
    <li>
      <Link
        className={style.row}
        style={indent(depth)}
        title={entry.path}
        {...place.linkTo(entry.path)}
        aria-current={place.shown === entry.path ? 'true' : undefined}
      >
        <Icon name="file" size={14} />
        <span className="cut">{visible(entry.name)}</span>
        <span className={style.size}>{bytes(entry.size_bytes)}</span>
      </Link>
    </li>
  )
}

function Folder({ entry, place, depth }: RowProps) {
  const { folderQuery, shown, folder, onFolder } = place
  const isAbove = (path: string | undefined) => path?.startsWith(`${entry.path}/`) ?? false
  // a link to a file opens the folders above it
  const [isOpen, setOpen] = useState(isAbove(shown) || isAbove(folder) || folder === entry.path)
  const inside = useQuery({ ...folderQuery(entry.path), enabled: isOpen })
  return (
    <li>
      <button
        type="button"
        className={style.row}
        style={indent(depth)}
        title={entry.path}
        aria-expanded={isOpen}
        aria-current={folder === entry.path ? 'true' : undefined}
        onClick={() => {
          // one that is chosen elsewhere stays open
          setOpen(!isOpen || (onFolder !== undefined && folder !== entry.path))
          onFolder?.(entry.path)
        }}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
        <span className="cut">{visible(entry.name)}/</span>
        <span className={style.size}>{bytes(entry.size_bytes)}</span>
      </button>
      {isOpen && inside.data && <FileTree entries={inside.data} place={place} depth={depth + 1} />}
      {isOpen && inside.error && <p className={style.problem}>{messageOf(inside.error)}</p>}
    </li>
  )
}
