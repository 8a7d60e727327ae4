// One message: who said it, when, and what; calls and results are folded to a line.
import type { Message } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { Icon, type IconName } from '../../../look/Icon.tsx'
import { classes } from '../../../look/classes.ts'
import { duration } from '../../../parts/amounts.ts'
import { Json } from '../../../parts/Json.tsx'
import { Markdown } from '../../../parts/Markdown.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { useRunAddress } from '../address.ts'
import { stepOfCall } from './stepOfCall.ts'
import style from './MessageItem.module.css'

const who: Record<Message['role'], { name: string; icon: IconName }> = {
  user: { name: 'To the run', icon: 'user' },
  assistant: { name: 'The agent', icon: 'model' },
  tool: { name: 'Result', icon: 'tool' },
  system: { name: 'Runyard', icon: 'info' },
}

export function MessageItem({ message }: { message: Message }) {
  const { name, icon } = who[message.role]
  return (
    <li className={classes(style.message, style[message.role])} id={`message-${message.seq}`}>
      <header>
        <Icon name={icon} size={14} />
        <b>{name}</b>
        {message.type === 'thinking' && <span className="dim">thinks</span>}
        {message.truncated && <Tag title="Its long texts are cut here; the report and the step have more">cut</Tag>}
        <span className={style.when}>
          <Time at={message.timestamp} />
        </span>
      </header>
      <Content message={message} />
    </li>
  )
}

function Content({
  message: { type, text_content: text, tool_call: call, tool_result: result },
}: {
  message: Message
}) {
  if (call)
    return (
      <Folded
        line={
          <>
            calls <code>{visible(call.name)}</code>
          </>
        }
        callId={call.id}
        value={call.arguments}
      />
    )
  if (result)
    return (
      <Folded
        line={
          result.error === null ? (
            <>answered in {duration(result.duration_ms)}</>
          ) : (
            <span className={style.error}>failed: {visible(result.error.slice(0, 300))}</span>
          )
        }
        callId={result.tool_call_id}
        value={result.error === null ? result.result : { error: result.error, result: result.result }}
      />
    )
  if (text === null || text === '') return <p className="dim">(no text)</p>
  if (type === 'thinking') return <Thinking text={text} />
  const value = jsonOf(text)
  return value === undefined ? <Markdown text={text} /> : <Json value={value} />
}

/** An output that is an object or a list is a message too, as its JSON. */
function jsonOf(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

function Folded({ line, callId, value }: { line: ReactNode; callId: string; value: unknown }) {
  const [isOpen, setOpen] = useState(false)
  const { linkTo } = useRunAddress()
  const step = stepOfCall(callId)
  return (
    <>
      <div className={style.line}>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'right'} size={13} />
          <span>{line}</span>
        </button>
        {step !== undefined && (
          <Link className="link small" {...linkTo({ step })}>
            step {step}
          </Link>
        )}
      </div>
      {isOpen && <Json value={value} />}
    </>
  )
}

function Thinking({ text }: { text: string }) {
  return (
    <details className={style.thinking}>
      <summary>{visible(text.slice(0, 140))}</summary>
      <Markdown text={text} />
    </details>
  )
}
