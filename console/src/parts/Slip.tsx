// What a person approves, exactly: the call, its arguments, and its hash as a stripe and as digits. It looks the same everywhere.
import type { ReactNode } from 'react'
import { CopyText } from './CopyText.tsx'
import { barsOf, groupsOf } from './hashStripe.ts'
import { Json, Pieces } from './Json.tsx'
import { jsonLines } from './jsonText.ts'
import { isBranch, sizeOf } from './jsonTree.ts'
import { LongText } from './LongText.tsx'
import style from './Slip.module.css'
import { textShown } from './textPieces.ts'
import { visible } from './visibleText.ts'

export interface SlipAction {
  tool: string
  arguments: unknown
  hash?: string | null | undefined
}

interface SlipProps {
  action: SlipAction
  /** Instead of the hash: `Sent 00:44:51, no answer stored`. */
  foot?: ReactNode
}

/** A longer body is shown as the text that it is. */
const linesMax = 20_000
/** Names are never longer. */
const nameShown = 300
/** Rows of arguments that are open at first: what is approved should be seen. */
const rowsOpen = 400

export function Slip({ action, foot }: SlipProps) {
  const http = action.tool === 'http_request' ? httpOf(action.arguments) : undefined
  return (
    <div className={style.slip}>
      <div className={style.call}>
        <div>
          <b>{visible(action.tool.slice(0, nameShown))}</b>
          {http?.connection !== undefined && (
            <span className={style.from}>connection: {visible(http.connection.slice(0, nameShown))}</span>
          )}
        </div>
        {http ? <Request http={http} /> : <Arguments of={action.arguments} />}
      </div>
      {foot !== undefined ? <div className={style.foot}>{foot}</div> : action.hash && <Hash hash={action.hash} />}
    </div>
  )
}

interface Http {
  method: string
  url: string
  connection?: string
  headers: [string, string][]
  body?: string
  /** What else the call has. Nothing of it is left out of the slip. */
  rest: Record<string, unknown>
}

/** Undefined: it does not look like a request, so it is shown as JSON. */
function httpOf(given: unknown): Http | undefined {
  if (!isBranch(given) || Array.isArray(given)) return undefined
  const { method = 'GET', url, connection, headers = {}, body, ...rest } = given
  if (typeof method !== 'string' || typeof url !== 'string' || !isBranch(headers)) return undefined
  if (connection !== undefined && typeof connection !== 'string') return undefined
  if (body !== undefined && typeof body !== 'string') return undefined
  const lines = Object.entries(headers)
  if (!lines.every((line): line is [string, string] => typeof line[1] === 'string')) return undefined
  return {
    method,
    url,
    headers: lines,
    rest,
    ...(connection !== undefined && { connection }),
    ...(body !== undefined && { body }),
  }
}

function Request({ http: { method, url, headers, body, rest } }: { http: Http }) {
  return (
    <>
      <div>
        {visible(method.slice(0, nameShown))} <Words text={url} />
      </div>
      {headers.map(([name, value]) => (
        <div key={name}>
          {visible(name.slice(0, nameShown))}:{' '}
          <span className={style.value}>
            <Words text={value} />
          </span>
        </div>
      ))}
      {body !== undefined && body !== '' && <Body text={body} />}
      {sizeOf(rest) > 0 && <Arguments of={rest} />}
    </>
  )
}

/** A text as it is. */
const Words = ({ text }: { text: string }) =>
  text.length <= textShown ? visible(text) : <LongText text={text} write={visible} />

/** As it will be sent: JSON is laid out in lines, its parts are not touched. */
function Body({ text }: { text: string }) {
  const lines = text.length <= linesMax ? jsonLines(text) : undefined
  return (
    <div className={style.body}>
      {lines ? (
        lines.map(({ depth, pieces }, at) => (
          <div key={at} style={{ paddingLeft: `${Math.min(depth, 12) * 2}ch` }}>
            <Pieces of={pieces} />
          </div>
        ))
      ) : (
        <Words text={text} />
      )}
    </div>
  )
}

function Arguments({ of }: { of: unknown }) {
  return (
    <div className={style.body}>
      <Json value={of} rows={rowsOpen} hasTools={false} />
    </div>
  )
}

function Hash({ hash }: { hash: string }) {
  const groups = groupsOf(hash)
  return (
    <div className={style.foot}>
      <span>Exactly this</span>
      <svg viewBox="0 0 66 14" width="66" height="14" aria-hidden>
        {barsOf(hash).map(({ x, y, height }) => (
          <rect key={x} x={x} y={y} width={2} height={height} />
        ))}
      </svg>
      <code title={groups}>{groups}</code>
      <CopyText text={hash} what="hash" shown="" />
    </div>
  )
}
