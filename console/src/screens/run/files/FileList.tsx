// The files of a run as a list; folders open in place.
import type { WorkspaceEntry } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../../look/Icon.tsx'
import { bytes } from '../../../parts/amounts.ts'
import { visible } from '../../../parts/visibleText.ts'
import { messageOf } from '../../../app/client.ts'
import { runFilesQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'
import style from './FileList.module.css'

/** More entries of a folder are shown when somebody wants them. */
const shownAtFirst = 200

export function FileList({ entries, depth = 0 }: { entries: WorkspaceEntry[]; depth?: number }) {
  const [shown, setShown] = useState(shownAtFirst)
  return (
    <ul className={style.list}>
      {entries
        .slice(0, shown)
        .map((entry) =>
          entry.type === 'dir' ? (
            <Folder key={entry.path} entry={entry} depth={depth} />
          ) : (
            <File key={entry.path} entry={entry} depth={depth} />
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

function File({ entry, depth }: { entry: WorkspaceEntry; depth: number }) {
  const { search, linkTo } = useRunAddress()
  return (
    <li>
      <Link
        className={style.row}
        style={indent(depth)}
        title={entry.path}
        {...linkTo({ tab: 'files', file: entry.path })}
        aria-current={search.tab === 'files' && search.file === entry.path ? 'true' : undefined}
      >
        <Icon name="file" size={14} />
        <span className="cut">{visible(entry.name)}</span>
        <span className={style.size}>{bytes(entry.size_bytes)}</span>
      </Link>
    </li>
  )
}

function Folder({ entry, depth }: { entry: WorkspaceEntry; depth: number }) {
  const { runId, search } = useRunAddress()
  // a link to a file opens the folders above it
  const [isOpen, setOpen] = useState(search.file?.startsWith(`${entry.path}/`) ?? false)
  const inside = useQuery({ ...runFilesQuery(runId, entry.path), enabled: isOpen })
  return (
    <li>
      <button
        type="button"
        className={style.row}
        style={indent(depth)}
        title={entry.path}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
        <span className="cut">{visible(entry.name)}/</span>
        <span className={style.size}>{bytes(entry.size_bytes)}</span>
      </button>
      {isOpen && inside.data && <FileList entries={inside.data} depth={depth + 1} />}
      {isOpen && inside.error && <p className={style.problem}>{messageOf(inside.error)}</p>}
    </li>
  )
}
