// Runs commands in a sandbox and shows what they printed, the last one at the end.
import type { Sandbox } from '@runyard/sdk'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useKeys } from '../../../app/keys.ts'
import { useSession } from '../../../app/session.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { duration } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { CopyText } from '../../../parts/CopyText.tsx'
import { Empty } from '../../../parts/states.tsx'
import { LongText } from '../../../parts/LongText.tsx'
import { Elapsed, Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { clearCommands, resumeCommands, runCommand, useCommandLog } from './commandLog.ts'
import { earlier, type Command } from './commandRecord.ts'
import style from './CommandsTab.module.css'

/** Seconds after which a command is stopped. */
const timeouts = [
  { value: 60, label: 'stop after 1 min' },
  { value: 300, label: 'stop after 5 min' },
  { value: 600, label: 'stop after 10 min' },
]

export function CommandsTab({ sandbox: { sandbox_id: id, status } }: { sandbox: Sandbox }) {
  const { unable } = useSession()
  const commands = useCommandLog(id)
  const field = useRef<HTMLInputElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const [timeoutS, setTimeoutS] = useState(60)
  const [back, setBack] = useState(0)
  useEffect(() => resumeCommands(id), [id])
  const last = commands.at(-1)
  const isRunning = last !== undefined && !last.result && last.failure === undefined
  // what a command printed is in sight when it ends
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [commands.length, isRunning])
  useKeys([{ keys: '/', says: 'Write a command', where: 'Sandbox', run: () => field.current?.focus() }])
  const cannot =
    unable('sandboxes:write') ??
    (isRunning
      ? 'A command is running. One runs at a time.'
      : status === 'busy'
        ? 'A run or a command is using this sandbox. Wait for its end.'
        : undefined)
  const send = () => {
    if (cannot !== undefined || text.trim() === '') return
    runCommand(id, text, timeoutS)
    setText('')
    setBack(0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(commands.length, back + step))
    setBack(next)
    setText(earlier(commands, next))
  }
  return (
    <div className={style.tab}>
      <div className={style.log} role="log" aria-label="Commands">
        {commands.length === 0 ? (
          <Empty icon="sandboxes" title="No command yet" command={`runyard sandbox exec ${id} 'ls -la'`}>
            A command runs in bash, in /workspace, without a network unless the server allows one. Its files stay.
          </Empty>
        ) : (
          commands.map((command) => <Entry key={command.id} command={command} />)
        )}
        <div ref={end} />
      </div>
      <form
        className={style.line}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <span className={style.prompt} aria-hidden>
          $
        </span>
        <input
          ref={field}
          className={style.field}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          aria-label="Command"
          placeholder="ls -la"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={100_000}
        />
        <select
          className={style.timeout}
          aria-label="How long it may run"
          value={timeoutS}
          onChange={(event) => setTimeoutS(Number(event.target.value))}
        >
          {timeouts.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Button kind="go" type="submit" keys={['↵']} unable={cannot} isBusy={isRunning}>
          Run
        </Button>
        <CopyAs
          isSmall
          operation="execSandbox"
          params={{ sandbox_id: id }}
          input={{ command: text.trim() === '' ? (last?.command ?? 'ls -la') : text, timeout_s: timeoutS }}
        />
        <Button
          kind="quiet"
          icon="cross"
          aria-label="Clear the list"
          unable={isRunning ? 'A command is running.' : undefined}
          onClick={() => clearCommands(id)}
        />
      </form>
    </div>
  )
}

function Entry({ command: { command, at, result, failure } }: { command: Command }) {
  const hasFailed = failure !== undefined || (result !== undefined && result.exit_code !== 0)
  return (
    <section className={style.entry} aria-label={command.slice(0, 100)}>
      <header>
        <StatusShape shape={!result && failure === undefined ? 'running' : hasFailed ? 'failed' : 'done'} />
        <code className={style.command}>{visible(command)}</code>
        <CopyText text={command} what="command" shown="" />
        <span className={style.facts}>
          {result ? (
            <>
              exit {result.exit_code} · {duration(result.duration_ms)} · <Time at={at} />
            </>
          ) : failure === undefined ? (
            <>
              runs for <Elapsed since={at} />
            </>
          ) : (
            <Time at={at} />
          )}
        </span>
      </header>
      {failure !== undefined && <p className={style.failure}>{failure}</p>}
      {result && result.stdout !== '' && (
        <pre>
          <LongText text={result.stdout} write={visible} />
        </pre>
      )}
      {result && result.stderr !== '' && (
        <pre className={style.errors}>
          <LongText text={result.stderr} write={visible} />
        </pre>
      )}
      {result?.truncated && (
        <p className="dim small">It printed more than is kept. Write it to a file to see all of it.</p>
      )}
      {result?.stdout === '' && result.stderr === '' && <p className="dim small">It printed nothing.</p>}
    </section>
  )
}
