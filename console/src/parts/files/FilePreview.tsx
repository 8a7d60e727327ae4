// One file: its name, its size, a way to save it, and what is in it.
import type { GetRunSandboxFileContentByRunAnswer } from '@runyard/sdk'
import { useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { bytes, count } from '../amounts.ts'
import { Button } from '../Button.tsx'
import { CopyText } from '../CopyText.tsx'
import { Json } from '../Json.tsx'
import { Markdown } from '../Markdown.tsx'
import { Shown } from '../states.tsx'
import { visible } from '../visibleText.ts'
import { readTable, separatorOf } from './csv.ts'
import { blobOf, pictureTypeOf, shortPath, shownAs, textMax } from './preview.ts'
import { onThisOrigin, saveUrl } from './saveFile.ts'
import style from './FilePreview.module.css'

type File = GetRunSandboxFileContentByRunAnswer

interface FilePreviewProps {
  query: UseQueryOptions<File, Error, File, string[]>
  /** More that can be done with the file. */
  children?: ReactNode
}

export function FilePreview({ query, children }: FilePreviewProps) {
  const file = useQuery(query)
  return (
    <Shown query={file} what="the file">
      {(found) => (
        <>
          <header className={style.head}>
            <h2 className="cut" title={found.path}>
              {visible(shortPath(found.path))}
            </h2>
            <span className="dim small">{bytes(found.size_bytes)}</span>
            <CopyText text={found.path} what="path" shown="" />
            <span className={style.acts}>
              {children}
              <Button
                icon="download"
                onClick={() =>
                  saveUrl(onThisOrigin(found.download_url), shortPath(found.path).split('/').at(-1) ?? 'file')
                }
              >
                Save
              </Button>
            </span>
          </header>
          <div className={style.body}>
            <Content file={found} />
          </div>
        </>
      )}
    </Shown>
  )
}

function Content({ file }: { file: File }) {
  const { content } = file
  if (content === null)
    return <p className={style.note}>The file is larger than 10 MB, so it is not shown here. Save it to look at it.</p>
  const kind = shownAs(file)
  if (kind === 'table') return <TableOf text={content} />
  if (kind === 'text') return <Text text={content} />
  if (kind === 'picture') return <Picture file={file} />
  if (kind === 'pdf') return <Pdf file={file} />
  if (kind === 'none')
    return <p className={style.note}>There is no way to show this kind of file here. Save it to look at it.</p>
  return (
    <div className={style.read}>
      {kind === 'json' ? <Json value={JSON.parse(content) as unknown} /> : <Markdown text={content} />}
    </div>
  )
}

function Text({ text }: { text: string }) {
  return (
    <>
      <pre className={style.text}>{text.slice(0, textMax)}</pre>
      {text.length > textMax && (
        <p className={style.note}>
          {count(text.length - textMax)} more characters are in the file. Save it to see them.
        </p>
      )}
    </>
  )
}

/** So much of a table is read; a row of it may be long. */
const tableTextMax = 2_000_000

function TableOf({ text }: { text: string }) {
  const beginning = text.slice(0, tableTextMax)
  const { rows, isCut } = readTable(beginning, separatorOf(beginning))
  const [head = [], ...rest] = rows
  return (
    <>
      <div className={style.scroll}>
        <table className={style.table}>
          <thead>
            <tr>
              {head.map((cell, at) => (
                <th key={at} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rest.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column}>{cell.slice(0, 500)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(isCut || text.length > tableTextMax) && (
        <p className={style.note}>These are the first {count(rest.length)} rows. Save the file to see all of them.</p>
      )}
    </>
  )
}

/** The element shows the bytes for as long as it is there, under the type that we chose. */
function useBytes<Shows extends HTMLImageElement | HTMLIFrameElement>(
  file: File,
  type: string,
): RefObject<Shows | null> {
  const element = useRef<Shows>(null)
  const { content, encoding } = file
  useEffect(() => {
    if (content === null || !element.current) return undefined
    const url = URL.createObjectURL(blobOf({ content, encoding }, type))
    element.current.src = url
    return () => URL.revokeObjectURL(url)
  }, [content, encoding, type])
  return element
}

function Picture({ file }: { file: File }) {
  const image = useBytes<HTMLImageElement>(file, pictureTypeOf(file.path) ?? 'image/png')
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <p className={style.note}>This is not a picture, whatever its name says.</p>
  return (
    <div className={style.picture}>
      <img ref={image} alt={shortPath(file.path)} onError={() => setBroken(true)} />
    </div>
  )
}

function Pdf({ file }: { file: File }) {
  const frame = useBytes<HTMLIFrameElement>(file, 'application/pdf')
  if (!navigator.pdfViewerEnabled)
    return <p className={style.note}>This browser does not show PDFs. Save the file to look at it.</p>
  // Chromium shows no PDF in a sandbox, with any of its permissions. The bytes have the type that we gave them and begin as a PDF does, so
  // the browser's viewer gets them, which runs nothing in our origin.
  // oxlint-disable-next-line react/iframe-missing-sandbox
  return <iframe className={style.frame} ref={frame} title={shortPath(file.path)} />
}
