// The tab with the files of a run: the list, and the chosen file beside it.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { FilePreview } from '../../../parts/files/FilePreview.tsx'
import style from '../../../parts/files/FilesBeside.module.css'
import { FileTree } from '../../../parts/files/FileTree.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { runFileQuery, runFilesQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'
import { useRunFiles } from './useRunFiles.ts'

export function Files({ run }: { run: GetRunAnswer['run'] }) {
  const files = useQuery(runFilesQuery(run.id))
  const { search } = useRunAddress()
  const place = useRunFiles()
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
              <FileTree entries={entries} place={place} />
            </nav>
            <div className={style.shown}>
              {search.file === undefined ? (
                <p className={style.hint}>Choose a file to see what is in it.</p>
              ) : (
                <FilePreview key={search.file} query={runFileQuery(run.id, search.file)} />
              )}
            </div>
          </div>
        )
      }
    </Shown>
  )
}
