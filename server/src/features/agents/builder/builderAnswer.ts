// What a model answers to a builder run: a procedure, or questions. Anything else is sent back to it with what is wrong.
import { storable, storableText } from '../../../base/storable.ts'
import { misfitOfOutput } from '../../../engine/builds/outputSchema.ts'
import { isRecord } from '../../../base/isRecord.ts'
import type { BuilderQuestion } from './builderRun.ts'
import { problemOfSetup, setupSchema, type WantedSetup } from './wantedSetup.ts'

export type BuilderAnswer =
  /** An answer that an older version stored has no setup. */
  { procedure: string; setup?: WantedSetup | null } | { questions: BuilderQuestion[] } | { misfit: string }

const orNull = (description: string) => ({ anyOf: [{ type: 'string' }, { type: 'null' }], description })

/** The schema is closed and every field is required: the strictest providers accept no other schema. */
export const answerSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['procedure', 'setup', 'questions'],
  properties: {
    procedure: orNull('The whole procedure in Markdown; null when you ask questions.'),
    setup: setupSchema,
    questions: {
      type: 'array',
      description: 'Empty when you give a procedure.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['question', 'header', 'options', 'multi_select'],
        properties: {
          question: { type: 'string' },
          header: orNull('A word or two, as a label.'),
          options: {
            type: 'array',
            description: 'Answers to choose from; empty for an answer in words.',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['label', 'description'],
              properties: { label: { type: 'string' }, description: orNull('What choosing it means.') },
            },
          },
          multi_select: { type: 'boolean' },
        },
      },
    },
  },
}

interface Wire {
  procedure: string | null
  setup: WantedSetup | null
  questions: {
    question: string
    header: string | null
    options: { label: string; description: string | null }[]
    multi_select: boolean
  }[]
}

const questionsMax = 5
const lengths = { question: 1000, header: 80, label: 200, description: 1000, options: 20 }

export function readAnswer(given: unknown): BuilderAnswer {
  // not every provider holds its models to a schema: without a word about the rest, the rest stays as it is
  const output = isRecord(given) && !Object.hasOwn(given, 'setup') ? { ...given, setup: null } : given
  const misfit = misfitOfOutput(answerSchema, output)
  if (misfit !== undefined) return { misfit: `Your answer does not fit the schema: ${misfit}` }
  const { procedure, setup, questions } = storable(output) as Wire
  const text = storableText(procedure ?? '').trim()
  if (text === '' && questions.length === 0) {
    return { misfit: 'Your answer has neither a procedure nor a question. Give one of them.' }
  }
  if (text !== '' && questions.length > 0) {
    return { misfit: 'Your answer has a procedure and questions. Give the procedure, or ask first.' }
  }
  if (text !== '') {
    const wrong = setup && problemOfSetup(setup)
    return wrong ? { misfit: wrong } : { procedure: `${text}\n`, setup }
  }
  const problem = problemOf(questions)
  return problem === undefined ? { questions: questions.map(asked) } : { misfit: problem }
}

/** A chat is no place for a value. Answers have what looks like one cut out as well. */
const asksForValue =
  /\b(?:what is|what's|what are|enter|provide|paste|type|share|send|give)(?: (?:me|us|in|the|your|its|their|a|an|\w{1,20})){0,4} (?:passwords?|passphrases?|api[- ]?keys?|api[- ]?tokens?|access[- ]?tokens?|secret[- ]?keys?|private[- ]?keys?|client[- ]?secrets?|credentials?)\b/i
const neverAsk =
  'Never ask for the value of a secret. Name the secret or the login in setup.uses as it should be called: the person is then asked to pick or to save one.'

/** Answers refer to questions by their text, so two questions with the same text could not be distinguished. */
function problemOf(questions: Wire['questions']): string | undefined {
  if (questions.length > questionsMax) return `Ask at most ${questionsMax} questions at once.`
  const texts = questions.map(({ question }) => storableText(question).trim())
  if (texts.includes('')) return 'One of your questions is empty.'
  if (new Set(texts).size < texts.length) return 'Two of your questions are the same.'
  if (texts.some((text) => asksForValue.test(text))) return neverAsk
  for (const { question, header, options } of questions) {
    const labels = options.map(({ label }) => storableText(label).trim())
    if (labels.includes('') || new Set(labels).size < labels.length)
      return `An option of "${question}" is empty or twice.`
    const isLong =
      question.length > lengths.question ||
      (header?.length ?? 0) > lengths.header ||
      options.length > lengths.options ||
      options.some(({ label, description }) => {
        return label.length > lengths.label || (description?.length ?? 0) > lengths.description
      })
    if (isLong) return 'A question, header or option is too long, or there are too many options. Ask shortly.'
  }
  return undefined
}

/** A question as people get it, without empty fields. */
function asked({ question, header, options, multi_select }: Wire['questions'][number]): BuilderQuestion {
  const label = storableText(header ?? '').trim()
  return {
    question: storableText(question).trim(),
    ...(label !== '' && { header: label }),
    ...(options.length > 0 && {
      options: options.map((option) => {
        const description = storableText(option.description ?? '').trim()
        return { label: storableText(option.label).trim(), ...(description !== '' && { description }) }
      }),
      multi_select,
    }),
  }
}
