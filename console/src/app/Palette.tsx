// The palette: go anywhere, do anything, find a run by its number, its id or a word, an agent or a queue by name.
import { Dialog as Base } from '@base-ui/react/dialog'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useEffectEvent, useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import { Icon } from '../look/Icon.tsx'
import { StatusShape } from '../look/StatusShape.tsx'
import { shapeOf, statusWord } from '../parts/Status.tsx'
import { runyard } from './client.ts'
import { useOfferedCommands } from './commands.ts'
import { keyCaps } from './keys.ts'
import { closePalette, takeEarlyKeys } from './opening.ts'
import style from './Palette.module.css'
import { places } from './places.ts'
import { useSession } from './session.tsx'

interface Choice {
  id: string
  group: string
  icon: ReactNode
  label: string
  detail?: string
  /** Keys that lead there, too. */
  keys?: string[]
  run: () => void
}

const foundMax = 6

function choose(choice: Choice | undefined): void {
  if (!choice) return
  closePalette()
  choice.run()
}

export default function Palette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const [isSent, setSent] = useState(false)
  const asked = useDeferredValue(text.trim())
  const choices = useChoices(asked)
  const chosen = choices[Math.min(at, choices.length - 1)]

  function takeOver() {
    const early = takeEarlyKeys()
    if (!early?.text()) return
    setText(early.text())
    setSent(early.isSent())
  }
  const chooseSent = useEffectEvent(() => choose(chosen))
  useEffect(() => {
    if (isSent && asked === text.trim()) chooseSent()
  }, [isSent, asked, text])

  function onKeyDown(event: KeyboardEvent) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      setAt((now) => (Math.min(now, choices.length - 1) + move + choices.length) % Math.max(1, choices.length))
    }
    if (event.key === 'Enter') choose(chosen)
  }

  return (
    <Base.Root open onOpenChange={(open) => !open && closePalette()}>
      <Base.Portal>
        <Base.Backdrop className={style.backdrop} />
        <Base.Popup className={style.palette} aria-label="Find or do">
          <div className={style.ask}>
            <Icon name="search" />
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls={listId}
              aria-activedescendant={chosen && `${listId}-${chosen.id}`}
              aria-label="Find or do"
              placeholder="A screen, an action, an agent, a queue, a run by number, id or word"
              autoComplete="off"
              spellCheck={false}
              value={text}
              onFocus={takeOver}
              onKeyDown={onKeyDown}
              onChange={(event) => {
                setText(event.target.value)
                setAt(0)
              }}
            />
          </div>
          <ul role="listbox" id={listId} className={style.list} aria-label="What was found">
            {choices.map((choice, index) => (
              <li key={choice.id} role="presentation">
                {choice.group !== choices[index - 1]?.group && (
                  <div className={classes('caption', style.group)} aria-hidden>
                    {choice.group}
                  </div>
                )}
                <div
                  role="option"
                  id={`${listId}-${choice.id}`}
                  aria-selected={choice === chosen}
                  className={style.choice}
                  tabIndex={-1}
                  ref={choice === chosen ? showIt : undefined}
                  onPointerMove={() => setAt(index)}
                  onClick={() => choose(choice)}
                  onKeyDown={onKeyDown}
                >
                  {choice.icon}
                  <span className="cut">{choice.label}</span>
                  {choice.detail !== undefined && <span className={style.detail}>{choice.detail}</span>}
                  {choice.keys && (
                    <span className={style.keys} aria-hidden>
                      {choice.keys.map((cap) => (
                        <kbd key={cap}>{cap}</kbd>
                      ))}
                    </span>
                  )}
                </div>
              </li>
            ))}
            {choices.length === 0 && <li className={style.nothing}>Nothing is called “{text.trim()}”.</li>}
          </ul>
          <p className={style.foot} aria-hidden>
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> move
            </span>
            <span>
              <kbd>↵</kbd> choose
            </span>
            <span>
              <kbd>Esc</kbd> close
            </span>
          </p>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

const showIt = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

function useChoices(text: string): Choice[] {
  const navigate = useNavigate()
  const commands = useOfferedCommands()
  const canSeeQueues = useSession().unable('queues:read') === undefined
  const wanted = text.toLowerCase().split(/\s+/)
  const matches = (words: string) => wanted.every((word) => words.toLowerCase().includes(word))
  const isSearch = text.length > 1
  const { data: agents } = useQuery({
    queryKey: ['agents', 'found', text],
    queryFn: async ({ signal }) =>
      (await runyard.agents.search({ search: text, limit: foundMax }, { signal }).page()).agents,
    enabled: isSearch,
    placeholderData: keepPreviousData,
  })
  const { data: runs } = useQuery({
    queryKey: ['runs', 'found', text],
    queryFn: ({ signal }) => findRuns(text, signal),
    enabled: isSearch,
    placeholderData: keepPreviousData,
  })
  const { data: queues } = useQuery({
    queryKey: ['queues', 'found', text],
    queryFn: async ({ signal }) =>
      (await runyard.queues.list({ search: text, limit: foundMax }, { signal }).page()).queues,
    enabled: isSearch && canSeeQueues,
    placeholderData: keepPreviousData,
  })
  return [
    ...commands
      .filter(({ label, words = '', unable }) => unable === undefined && matches(`${label} ${words}`))
      .map(({ id, label, icon, run }) => ({ id: `do-${id}`, group: 'Do', icon: <Icon name={icon} />, label, run })),
    ...places
      .filter(({ name }) => matches(`${name} go to`))
      .map(({ to, name, icon, key }) => ({
        id: `go${to.replaceAll('/', '-')}`,
        keys: keyCaps(`g ${key}`),
        group: 'Go to',
        icon: <Icon name={icon} />,
        label: name,
        run: () => void navigate({ to }),
      })),
    ...(isSearch ? (agents ?? []) : []).map(({ id, name }) => ({
      id,
      group: 'Agents',
      icon: <Icon name="agents" />,
      label: name,
      run: () => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
    })),
    ...(isSearch ? (queues ?? []) : []).map(({ id, name }) => ({
      id,
      group: 'Queues',
      icon: <Icon name="queues" />,
      label: name,
      run: () => void navigate({ to: '/queues/$queueId', params: { queueId: id } }),
    })),
    ...(isSearch ? (runs ?? []) : []).map((run) => ({
      id: run.id,
      group: 'Runs',
      icon: <StatusShape shape={shapeOf(run)} label={statusWord(run.status)} />,
      label: run.title,
      detail: `${run.run_number} · ${run.agent_name}`,
      run: () => void navigate({ to: '/runs/$runId', params: { runId: run.id } }),
    })),
  ]
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function findRuns(text: string, signal: AbortSignal) {
  if (uuid.test(text)) return [(await runyard.runs.get(text, { signal })).run]
  return (await runyard.runs.list({ search: `${text}*`, limit: foundMax }, { signal }).page()).data
}
