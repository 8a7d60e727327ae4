// The keys of a request: a digit chooses, Ctrl or ⌘ with Enter sends. No single key does both.
import type { RefObject } from 'react'
import { useKeys, type KeyBinding } from '../../app/keys.ts'
import { questionsOf } from './asked.ts'
import { choose } from './input.ts'
import type { Answering } from './useAnswering.ts'

const binding = (keys: string, says: string, run: () => void): KeyBinding => ({ keys, says, where: 'Answer', run })

export function useAnswerKeys(answering: Answering, at: number, comment: RefObject<HTMLElement | null>): void {
  const { isClosed, unable } = answering
  useKeys(
    isClosed || unable !== undefined
      ? []
      : [
          ...digits(answering, at, comment).map(({ key, says, run }) => binding(key, says, run)),
          { ...binding('mod+Enter', 'Send', () => answering.send()), whileTyping: true },
          binding('c', 'Comment', () => comment.current?.focus()),
          ...(answering.decision === undefined
            ? []
            : [binding('Escape', 'Take the choice back', () => answering.decide(undefined))]),
        ],
  )
}

interface Digit {
  key: string
  says: string
  run: () => void
}

function digits(answering: Answering, at: number, comment: RefObject<HTMLElement | null>): Digit[] {
  const { request, draft, decide, change, hasApproved } = answering
  const reject = () => {
    decide('reject')
    comment.current?.focus()
  }
  if (request.type === 'approval')
    return [
      ...(hasApproved ? [] : [{ key: '1', says: 'Approve', run: () => decide('approve') }]),
      { key: '2', says: 'Reject', run: reject },
    ]
  const { options = [], isMulti = false } = questionsOf(request)[at] ?? {}
  return options.slice(0, 9).map(({ label }, n) => ({
    key: String(n + 1),
    says: `Choose answer ${n + 1}`,
    run: () => change(choose(draft, at, label, isMulti)),
  }))
}
