// Imports the rows of a CSV or NDJSON file as cases: shows what the columns are, what each becomes, and what is wrong before anything is sent.
import type { Queue } from '@runyard/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState, type DragEvent } from 'react'
import { messageOf } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Icon } from '../../../look/Icon.tsx'
import { bytes, count, counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Problem } from '../../../parts/Field.tsx'
import { Failed, Skeleton } from '../../../parts/states.tsx'
import { visible } from '../../../parts/visibleText.ts'
import style from './ImportCases.module.css'
import { rowsOf } from './fileRows.ts'
import { casesOf, columnUses, guessUses, isAlone, textOf, useWords, type ColumnUse } from './rows.ts'
import { startImport } from './sendRows.ts'

interface ImportCasesProps {
  queue: Queue
  /** One that was dropped on the queue. */
  file: File | undefined
  onClose: () => void
}

const bytesMax = 100_000_000
const previewRows = 5
const problemsShown = 5

export default function ImportCases({ queue, file: dropped, onClose }: ImportCasesProps) {
  const [file, setFile] = useState(dropped)
  return file ? (
    <Mapping key={`${file.name} ${file.lastModified}`} queue={queue} file={file} onOther={setFile} onClose={onClose} />
  ) : (
    <Dialog isOpen onClose={onClose} title={`Import cases into ${visible(queue.name)}`}>
      <Chooser onFile={setFile} />
      <p className="dim">
        In a CSV file the first row names the columns, and each other row becomes a case. In NDJSON each line is a JSON
        object, its fields are the columns. A row that is imported again is not added twice.
      </p>
    </Dialog>
  )
}

function Chooser({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    event.stopPropagation()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file) onFile(file)
  }
  return (
    // what is dropped can be chosen too
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <label
      className={classes(style.chooser, isOver && style.over)}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="file" size={20} />
      <span>
        Choose a CSV or NDJSON file<span className="dim">, or drop it here</span>
      </span>
      <input
        type="file"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) onFile(file)
        }}
      />
    </label>
  )
}

interface MappingProps {
  queue: Queue
  file: File
  onOther: (file: undefined) => void
  onClose: () => void
}

async function readFile(file: File) {
  if (file.size > bytesMax) throw new Error(`The file has ${bytes(file.size)}; at most ${bytes(bytesMax)} are read.`)
  return rowsOf(file.name, await file.text())
}

function Mapping({ queue, file, onOther, onClose }: MappingProps) {
  const { profile } = useSession()
  const read = useQuery({
    queryKey: ['importFile', file.name, file.size, file.lastModified],
    queryFn: () => readFile(file),
    gcTime: 0,
    staleTime: Infinity,
  })
  const [chosen, setChosen] = useState<ColumnUse[]>()
  const uses = useMemo(() => chosen ?? guessUses(read.data?.columns ?? []), [chosen, read.data])
  const made = useMemo(
    () => (read.data ? casesOf(read.data.columns, read.data.rows, uses) : undefined),
    [read.data, uses],
  )
  const start = useMutation({
    mutationFn: () => startImport(queue.id, profile.id, made?.cases ?? []),
    onSuccess: onClose,
  })
  const cases = made?.cases.length ?? 0
  const choose = (at: number, use: ColumnUse) =>
    setChosen(uses.map((before, each) => (each === at ? use : before === use && isAlone(use) ? 'data' : before)))
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={`Import ${visible(file.name)} into ${visible(queue.name)}`}
      actions={
        <>
          <Button kind="quiet" onClick={() => onOther(undefined)}>
            Another file
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="go"
            icon="up"
            isBusy={start.isPending}
            unable={
              !made
                ? 'The file is not read yet.'
                : !uses.includes('title')
                  ? 'Choose the column with the titles first.'
                  : cases === 0
                    ? 'No row can be imported.'
                    : undefined
            }
            onClick={() => start.mutate()}
          >
            Import {counted(cases, 'case')}
          </Button>
        </>
      }
    >
      {!read.data && !read.error && <Skeleton rows={6} what="the file" />}
      {read.error && <Failed error={read.error} />}
      {read.data && made && (
        <div className={style.body}>
          <p>
            {counted(read.data.rows.length, 'row')}, {counted(read.data.columns.length, 'column')}. What each column
            becomes:
          </p>
          {/* with the keys of the keyboard it is scrolled too */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <div className={style.scroll} tabIndex={0} role="group" aria-label="Columns and first rows">
            <table className={style.preview}>
              <thead>
                <tr>
                  {read.data.columns.map((column, at) => (
                    <th key={at} scope="col">
                      <span className={style.column} title={visible(column)}>
                        {visible(column) || `Column ${at + 1}`}
                      </span>
                      <select
                        aria-label={`What ${visible(column) || `column ${at + 1}`} becomes`}
                        value={uses[at]}
                        onChange={(event) => choose(at, columnUses.find((use) => use === event.target.value) ?? 'data')}
                      >
                        {columnUses.map((use) => (
                          <option key={use} value={use}>
                            {useWords[use]}
                          </option>
                        ))}
                      </select>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {read.data.rows
                  .filter(({ problem }) => problem === undefined)
                  .slice(0, previewRows)
                  .map(({ line, cells }) => (
                    <tr key={line}>
                      {read.data.columns.map((_, at) => (
                        <td key={at} className={classes(uses[at] === 'none' && style.out)}>
                          {visible(textOf(cells[at]))}
                        </td>
                      ))}
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
          {made.problems.length > 0 && (
            <div className={style.problems}>
              <Problem>{counted(made.problems.length, 'row is', 'rows are')} wrong and will be left out.</Problem>
              <ul>
                {made.problems.slice(0, problemsShown).map(({ line, says }) => (
                  <li key={line}>
                    Line {count(line)} {says}.
                  </li>
                ))}
                {made.problems.length > problemsShown && (
                  <li className="dim">and {count(made.problems.length - problemsShown)} more</li>
                )}
              </ul>
            </div>
          )}
          <p className="dim">
            {uses.includes('external_id')
              ? 'A row whose external id the queue has already is not added again.'
              : 'No column is the external id: rows are recognised by their content, and one that was imported already is not added again.'}{' '}
            The import continues after a reload of the page.
          </p>
          {start.error && <Problem>{messageOf(start.error)}</Problem>}
        </div>
      )}
    </Dialog>
  )
}
