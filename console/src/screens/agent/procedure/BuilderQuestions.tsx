// What the builder asks, answered in place. Nothing is chosen beforehand.
import type { Agent, BuilderQuestion, BuilderRun } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Field, Input, Problem, TextArea } from '../../../parts/Field.tsx'
import type { ConnectionsSearch } from '../../connections/search.ts'
import style from './BuilderPanel.module.css'
import { builderRunKey } from './useBuilderRun.ts'

export function BuilderQuestions({ agent, run }: { agent: Agent; run: BuilderRun }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const questions = run.pending_user_questions?.questions ?? []
  /** By the place of the question: two may have the same words. */
  const [answers, setAnswers] = useState<string[][]>(() => questions.map(() => []))
  const send = useMutation({
    mutationFn: () =>
      runyard.agents.resumeBuilderRun(run.id, {
        answers: Object.fromEntries(
          questions.map(({ question, multi_select }, at) => {
            const given = answers[at] ?? []
            return [question, multi_select ? given : given.join(', ')]
          }),
        ),
      }),
    onSuccess: ({ builder_run }) => queries.setQueryData(builderRunKey(agent.id, run.id), builder_run),
  })
  const isWhole = questions.every((_, at) => answers[at]?.some((one) => one.trim() !== ''))
  return (
    <Card title={questions.length === 1 ? 'One question' : `${questions.length} questions`}>
      <form
        className={style.questions}
        onSubmit={(event) => {
          event.preventDefault()
          if (isWhole) send.mutate()
        }}
      >
        {questions.map((question, at) => (
          <Question
            key={at}
            question={question}
            answer={answers[at] ?? []}
            onAnswer={(given) => setAnswers(answers.map((one, n) => (n === at ? given : one)))}
          />
        ))}
        {send.error && <Problem>{messageOf(send.error)}</Problem>}
        <Button
          type="submit"
          kind="go"
          isBusy={send.isPending}
          unable={unable('agents:write') ?? (isWhole ? undefined : 'Answer every question first.')}
        >
          Answer
        </Button>
      </form>
    </Card>
  )
}

interface QuestionProps {
  question: BuilderQuestion
  answer: string[]
  onAnswer: (answer: string[]) => void
}

function Question({ question: asked, answer, onAnswer }: QuestionProps) {
  const { question, options = [], multi_select = false } = asked
  const name = useId()
  if (options.length === 0)
    return (
      <Field label={question}>
        <TextArea rows={3} value={answer[0] ?? ''} onChange={(event) => onAnswer([event.target.value])} />
      </Field>
    )
  const labels = new Set(options.map(({ label }) => label))
  const own = answer.find((one) => !labels.has(one)) ?? ''
  const choose = (label: string, isChosen: boolean) => {
    if (!multi_select) return onAnswer([label])
    return onAnswer(isChosen ? [...answer, label] : answer.filter((one) => one !== label))
  }
  return (
    <fieldset>
      <legend>{question}</legend>
      {options.map(({ label, description }) => (
        <label key={label} className={style.option}>
          <input
            type={multi_select ? 'checkbox' : 'radio'}
            name={name}
            checked={answer.includes(label)}
            onChange={(event) => choose(label, event.target.checked)}
          />
          <span>
            {label}
            {description !== undefined && <small>{description}</small>}
          </span>
        </label>
      ))}
      <Where header={asked.header} />
      <Input
        aria-label={`Another answer to: ${question}`}
        placeholder="Another answer"
        value={own}
        onChange={(event) => {
          const words = event.target.value
          const chosen = multi_select ? answer.filter((one) => labels.has(one)) : []
          onAnswer(words === '' ? chosen : [...chosen, words])
        }}
      />
    </fieldset>
  )
}

/** Where something is made that a draft needs and the team does not have, by the header of the question. */
const tabs: Record<string, ConnectionsSearch['tab']> = {
  Secret: 'secrets',
  Login: 'logins',
  Skill: 'skills',
  File: 'files',
  Connection: 'catalogue',
}

function Where({ header }: { header: string | undefined }) {
  const tab = header === undefined ? undefined : tabs[header]
  if (tab === undefined) return null
  return (
    <Link className="link" to="/connections" search={{ tab }} target="_blank">
      Make one on another tab
    </Link>
  )
}
