// What the work on an artifact asks: options to choose, or an answer in words.
import type { Artifact } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Button } from '../../parts/Button.tsx'
import { Field, Problem, TextArea } from '../../parts/Field.tsx'
import { visible } from '../../parts/visibleText.ts'
import style from './ArtifactScreen.module.css'
import { notEditor } from './rights.ts'

type Asked = NonNullable<Artifact['pending_question']>

interface QuestionProps {
  artifact: Artifact
  question: Asked
  canEdit: boolean
}

/** Give it the `tool_call_id` of the question as `key`. */
export function Question(props: QuestionProps) {
  const { unable } = useSession()
  const { needs_approver, questions } = props.question
  const cannotDecide = needs_approver ? unable('approvals:write') : undefined
  if (cannotDecide === undefined) return <AnswerForm {...props} />
  return (
    <section className={style.question} aria-label="Open question">
      {questions.map(({ question: text }) => (
        <Words key={text} text={text} />
      ))}
      <p className="dim small">{cannotDecide}</p>
    </section>
  )
}

const Words = ({ text }: { text: string }) => (
  <h3>
    <StatusShape shape="human" size={16} />
    {visible(text)}
  </h3>
)

function AnswerForm({ artifact, question, canEdit }: QuestionProps) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [answers, setAnswers] = useState<Record<string, string[]>>({})
  const answer = useMutation({
    mutationFn: () =>
      runyard.artifacts.answer(artifact.id, {
        tool_call_id: question.tool_call_id,
        answers: Object.fromEntries(
          question.questions.map(({ question: text, multi_select }) => {
            const given = answers[text] ?? []
            return [text, multi_select ? given : (given[0] ?? '')]
          }),
        ),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['artifact', artifact.id] }),
  })
  const isWhole = question.questions.every(({ question: text }) =>
    (answers[text] ?? []).some((one) => one.trim() !== ''),
  )
  const cannot =
    unable('artifacts:write') ?? notEditor(canEdit) ?? (isWhole ? undefined : 'Choose or write an answer first.')
  const choose = (text: string, label: string, isMany: boolean) => {
    const now = answers[text] ?? []
    const next = !isMany ? [label] : now.includes(label) ? now.filter((one) => one !== label) : [...now, label]
    setAnswers({ ...answers, [text]: next })
  }
  return (
    <form
      className={style.question}
      aria-label="Open question"
      onSubmit={(event) => {
        event.preventDefault()
        if (cannot === undefined && !answer.isPending) answer.mutate()
      }}
    >
      {question.questions.map(({ question: text, options = [], multi_select = false }) => (
        <fieldset key={text} className={style.asked}>
          <Words text={text} />
          {options.length === 0 ? (
            <Field label="Your answer">
              <TextArea
                rows={2}
                value={answers[text]?.[0] ?? ''}
                onChange={(event) => setAnswers({ ...answers, [text]: [event.target.value] })}
              />
            </Field>
          ) : (
            options.map(({ label, description }) => (
              <button
                key={label}
                type="button"
                className={style.option}
                aria-pressed={(answers[text] ?? []).includes(label)}
                onClick={() => choose(text, label, multi_select)}
              >
                {visible(label)}
                {description !== undefined && <small>{visible(description)}</small>}
              </button>
            ))
          )}
        </fieldset>
      ))}
      {answer.error && <Problem>{messageOf(answer.error)}</Problem>}
      <div className={style.acts}>
        <Button kind="go" type="submit" unable={cannot} isBusy={answer.isPending}>
          Answer
        </Button>
      </div>
    </form>
  )
}
