// The questions of a request: options to choose from, none of them chosen beforehand, or a field for words.
import { useId } from 'react'
import { classes } from '../../look/classes.ts'
import { Field, TextArea } from '../Field.tsx'
import { visible } from '../visibleText.ts'
import { questionsOf, type Question } from './asked.ts'
import { choose, withAnswer } from './input.ts'
import style from './Request.module.css'
import type { Answering } from './useAnswering.ts'

interface Props {
  answering: Answering
  /** The question that digits choose for. */
  current: number
  onCurrent: (at: number) => void
}

export function QuestionFields({ answering, current, onCurrent }: Props) {
  const { request, draft, change, isClosed, unable } = answering
  const questions = questionsOf(request)
  const isOff = isClosed || unable !== undefined
  return questions.map((question, at) => {
    const label = labelOf(question, questions.length > 1 || question.question !== request.title)
    const given = draft.answers[at] ?? []
    return (
      <div key={at} onFocus={() => onCurrent(at)}>
        {question.options.length === 0 ? (
          <Field label={label}>
            <TextArea
              rows={4}
              value={given[0] ?? ''}
              disabled={isOff}
              onChange={(event) => change(withAnswer(draft, at, event.target.value === '' ? [] : [event.target.value]))}
            />
          </Field>
        ) : (
          <Options
            question={question}
            label={label}
            given={given}
            isOff={isOff}
            hasKeys={!isOff && (questions.length === 1 || current === at)}
            onChoose={(option) => change(choose(draft, at, option, question.isMulti))}
          />
        )}
      </div>
    )
  })
}

function labelOf({ question, header, options, isMulti }: Question, isNamed: boolean): string {
  if (isNamed) return visible(header === undefined ? question : `${header}: ${question}`)
  if (options.length === 0) return 'Your answer'
  return isMulti ? 'Choose one or several' : 'Choose one'
}

interface OptionsProps {
  question: Question
  label: string
  given: string[]
  isOff: boolean
  hasKeys: boolean
  onChoose: (label: string) => void
}

function Options({ question: { options, isMulti }, label, given, isOff, hasKeys, onChoose }: OptionsProps) {
  const name = useId()
  return (
    <fieldset className={style.options} disabled={isOff}>
      <legend className="caption">{label}</legend>
      {options.map((option, at) => (
        <label key={at} className={classes(style.option, given.includes(option.label) && style.chosen)}>
          <input
            type={isMulti ? 'checkbox' : 'radio'}
            name={name}
            checked={given.includes(option.label)}
            onChange={() => onChoose(option.label)}
          />
          <span className={style.optionText}>
            <b>{visible(option.label)}</b>
            {option.description !== undefined && <small>{visible(option.description)}</small>}
          </span>
          {hasKeys && at < 9 && <kbd aria-hidden>{at + 1}</kbd>}
        </label>
      ))}
    </fieldset>
  )
}
