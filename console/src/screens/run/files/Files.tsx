// The tab with the files of a run: the list, and the chosen file beside it.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Empty, Shown } from '../../../parts/states.tsx'
import { runFilesQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'
import { FileList } from './FileList.tsx'
import style from './Files.module.css'
import { Preview } from './Preview.tsx'

export function Files({ run }: { run: GetRunAnswer['run'] }) {
  const files = useQuery(runFilesQuery(run.id))
  const { search } = useRunAddress()
  return (
    <Shown query={files} what="files">
      {(entries) =>
        entries.length === 0 ? (
          <Empty icon="file" title="No files">
            What a run writes, downloads or makes with commands is kept here, with what it was before each step.
          </Empty>
        ) : (
          <div className={style.files}>
            <nav className={style.list} aria-label="Files">
              <FileList entries={entries} />
            </nav>
            <div className={style.shown}>
              {search.file === undefined ? (
                <p className={style.hint}>Choose a file to see what is in it.</p>
              ) : (
                <Preview key={search.file} runId={run.id} path={search.file} />
              )}
            </div>
          </div>
        )
      }
    </Shown>
  )
}
