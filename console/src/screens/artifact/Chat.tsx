// The chat of an artifact: what was asked for, what was answered, an open question, and the next message.
import type { ArtifactMessage } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Button } from '../../parts/Button.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { artifactMessagesQuery, isWorking } from '../../queries/artifacts.ts'
import style from './ArtifactScreen.module.css'
import { About } from './About.tsx'
import { Compose, type ComposeProps } from './Compose.tsx'
import { Question } from './Question.tsx'

export function Chat(props: ComposeProps) {
  const { artifact, canEdit } = props
  const messages = useQuery(artifactMessagesQuery(artifact))
  const list = useRef<HTMLDivElement>(null)
  const last = messages.data?.data.at(-1)?.id
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [last, artifact.pending_question])
  return (
    <div className={style.panel}>
      {/* a keyboard must reach what scrolls */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={style.scroll} ref={list} tabIndex={0} role="region" aria-label="Messages">
        <Shown query={messages} what="messages" rows={4}>
          {({ data, has_more }) => (
            <>
              {has_more && <p className="dim small">The newest 200 messages are shown.</p>}
              {data.length === 0 && !artifact.pending_question && (
                <Empty icon="message" title="No message yet">
                  Say what shall change. Each change makes a revision, and none is lost.
                </Empty>
              )}
              {data.map((message) => (
                <Message key={message.id} message={message} />
              ))}
            </>
          )}
        </Shown>
        {artifact.pending_question ? (
          // what was chosen for one question is no answer to the next, which may have the same words
          <Question
            key={artifact.pending_question.tool_call_id}
            artifact={artifact}
            question={artifact.pending_question}
            canEdit={canEdit}
          />
        ) : (
          isWorking(artifact) && (
            <p className={style.message} role="status">
              <StatusShape shape="running" size={14} /> {artifact.status === 'pending' ? 'Waits for a slot' : 'At work'}
              …
            </p>
          )
        )}
      </div>
      <Compose {...props} />
    </div>
  )
}

function Message({ message }: { message: ArtifactMessage }) {
  const { role, content, created_at, selected_element, truncated } = message
  const isUser = role === 'user'
  return (
    <article className={classes(style.message, isUser && style.user)}>
      <header>
        <Icon name={isUser ? 'user' : 'model'} size={14} />
        {isUser ? 'Asked' : 'Answered'}
        <Time at={created_at} />
      </header>
      {selected_element && <About selected={selected_element} />}
      {isUser ? <Written text={content} /> : <Markdown text={content} />}
      {truncated && <p className="dim small">It is longer than is shown here.</p>}
    </article>
  )
}

/** Who writes a page by hand sends all of it: of a long message its beginning is shown. */
const linesMax = 8
const charactersMax = 500

function Written({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const beginning = text.split('\n', linesMax).join('\n').slice(0, charactersMax)
  const isCut = !isWhole && beginning.length < text.length
  return (
    <>
      <pre className={style.text}>{visible(isCut ? beginning : text)}</pre>
      {isCut && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          Show all of it
        </Button>
      )}
    </>
  )
}
