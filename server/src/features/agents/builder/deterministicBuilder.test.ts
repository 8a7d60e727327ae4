// The builder that needs no model, word by word: what becomes of prompts, what is kept, and what it asks.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { finishQuestion, goalQuestion, writeProcedure, type WantedProcedure } from './deterministicBuilder.ts'
import type { Lesson } from './lesson.ts'
import { procedureTemplate } from '../builds/procedureTemplate.ts'
import { proves } from '../../../../test/kit/proves.ts'

const nothing: WantedProcedure = {
  agentName: 'Clerk',
  prompt: '',
  procedure: '',
  answers: {},
  lesson: null,
  hasModel: true,
}

function written(wanted: Partial<WantedProcedure>): string {
  const result = writeProcedure({ ...nothing, ...wanted })
  assert.ok('procedure' in result, JSON.stringify(result))
  return result.procedure
}

function asked(wanted: Partial<WantedProcedure>): string[] {
  const result = writeProcedure({ ...nothing, ...wanted })
  return 'questions' in result ? result.questions.map(({ question }) => question) : []
}

const document = (goal: string, steps: string[], notes: string[] = []) =>
  [
    '# Clerk',
    `## Goal\n\n${goal}`,
    `## Steps\n\n${steps.join('\n')}`,
    ...(notes.length > 0 ? [`## Notes\n\n${notes.join('\n')}`] : []),
  ].join('\n\n') + '\n'

const block = '```http id=rate\nGET https://api.example.com/rate\n\n# no heading\nbroken\non purpose\n```'

suite('a prompt becomes goal, steps and notes', () => {
  const cases: { about: string; prompt: string; procedure: string }[] = [
    {
      about: 'sentences',
      prompt:
        'Sort the invoices by supplier. Check each amount, e.g. with a ruler. Never pay. Done when all are filed.',
      procedure: document(
        'Sort the invoices by supplier.',
        ['1. Check each amount, e.g. with a ruler.', '2. Done when all are filed.'],
        ['- Never pay.'],
      ),
    },
    {
      about: 'one sentence, which is its own first step',
      prompt: 'Report the weather',
      procedure: document('Report the weather', ['1. Report the weather']),
    },
    {
      about: 'imperative lines',
      prompt: 'Keep the mailbox tidy\nOpen the mailbox\nSort the mails\nFinally close it',
      procedure: document('Keep the mailbox tidy', ['1. Open the mailbox', '2. Sort the mails', '3. Finally close it']),
    },
    {
      about: 'numbered and bulleted lines under a first sentence',
      prompt:
        'Tidy the mailbox:\n1) open it\n2) sort it\n   by sender\n* close it\n- do not delete anything\n- [ ] report the count',
      procedure: document(
        'Tidy the mailbox:',
        ['1. open it', '2. sort it by sender', '3. close it', '4. report the count'],
        ['- do not delete anything'],
      ),
    },
    {
      about: 'labels and headings',
      prompt:
        '## Goal\nNo mail is left.\n\n## Steps\n- Read one. Really.\n- Answer it.\n\nNotes:\nBe kind.\n\nOutput: how many there were',
      procedure: document(
        'No mail is left.',
        ['1. Read one. Really.', '2. Answer it.', '3. Output: how many there were'],
        ['- Be kind.'],
      ),
    },
    {
      about: 'lines that were broken because they were long',
      prompt: 'Look the rate up\nin the table of\nthe bank.\nAnswer with it.',
      procedure: document('Look the rate up in the table of the bank.', ['1. Answer with it.']),
    },
    {
      about: 'a block, as it stands',
      prompt: `Look the rate up.\n\nFirst fetch it:\n\n${block}\n\nReport it.`,
      procedure: document('Look the rate up.', ['1. First fetch it:', '', block, '', '2. Report it.']),
    },
  ]
  for (const { about, prompt, procedure } of cases) {
    proves('builder.deterministic', about, () => assert.equal(written({ prompt }), procedure))
  }
})

suite('what is missing is asked for, and nothing else', () => {
  const cases: { about: string; wanted: Partial<WantedProcedure>; questions: string[] }[] = [
    { about: 'nothing is given', wanted: {}, questions: [goalQuestion, finishQuestion] },
    { about: 'one word is no goal', wanted: { prompt: 'Help' }, questions: [goalQuestion, finishQuestion] },
    {
      about: 'steps alone name no goal',
      wanted: { prompt: '- Open it\n- Finally close it' },
      questions: [goalQuestion],
    },
    { about: 'no finish is named', wanted: { prompt: 'Sort the invoices.' }, questions: [finishQuestion] },
    {
      about: 'the template names neither',
      wanted: { procedure: procedureTemplate },
      questions: [goalQuestion, finishQuestion],
    },
    {
      about: 'an answer is not asked for again',
      wanted: { prompt: '- Open it', answers: { [goalQuestion]: 'It is open.' } },
      questions: [finishQuestion],
    },
    {
      about: 'the procedure as it is names both',
      wanted: { procedure: 'Sort the invoices by supplier.\n\n```output\ndone\n```\n', prompt: 'Be quick.' },
      questions: [],
    },
  ]
  for (const { about, wanted, questions } of cases) {
    proves('builder.deterministicAsks', about, () => assert.deepEqual(asked(wanted), questions))
  }

  proves('builder.deterministicAsks', 'answers become the goal and the last step', () => {
    const answers = { [goalQuestion]: 'A tidy mailbox.', [finishQuestion]: ['When it is empty', 'or it is noon'] }
    assert.equal(
      written({ prompt: '- Open it\n- Sort it', answers }),
      document('A tidy mailbox.', ['1. Open it', '2. Sort it', '3. Done when: it is empty; or it is noon']),
    )
  })
})

const kept =
  '# Invoices\n\n## Goal\n\nAll are filed.\n\n## Steps\n\n1. Read.\n2. File.\n\n```output\ndone\n```\n\n## Notes\n\n- Be quick.\n'

suite('what is there is kept', () => {
  proves('builder.deterministicKeeps', 'new steps and notes are added behind the old ones, in their sections', () => {
    assert.equal(
      written({ procedure: kept, prompt: 'Also check the VAT number. Never pay. Be quick.\nNotes:\n- Be quick.' }),
      kept
        .replace('done\n```\n', 'done\n```\n\n3. Also check the VAT number.\n4. Be quick.\n')
        .replace('- Be quick.\n', '- Be quick.\n- Never pay.\n'),
    )
  })

  proves('builder.deterministicKeeps', 'a text without sections gets them around it', () => {
    assert.equal(
      written({ procedure: 'Wait.', prompt: 'Then ring. Report it.', answers: { [goalQuestion]: 'It rings.' } }),
      '## Goal\n\nIt rings.\n\n## Steps\n\nWait.\n\n1. Then ring.\n2. Report it.\n',
    )
    assert.equal(
      written({ procedure: '# Bell\n\nRing it.\n\n## Steps\n\n- Ring\n', prompt: 'Goal: noise\nReport it.' }),
      '# Bell\n\n## Goal\n\nnoise\n\n## About\n\nRing it.\n\n## Steps\n\n- Ring\n1. Report it.\n',
    )
  })

  proves('builder.deterministicKeeps', 'without anything to add it stays as it is, to the letter', () => {
    const procedure = `\n${kept}\n\n`
    assert.equal(written({ procedure }), procedure)
  })
})

const lesson: Lesson = {
  run_number: 7,
  status: 'failed',
  title: 'A run',
  message: null,
  output: null,
  error: { code: 'step_failed', message: 'The step rate failed:\n404.' },
  eval_summary: { passed: 3, total: 5 },
  messages: [],
  failed_steps: [],
}

proves('builder.deterministicLesson', 'a run to learn from leaves a note of its error, or of its output', () => {
  const failed = written({ procedure: kept, lesson })
  assert.ok(
    failed.endsWith(
      '- Be quick.\n- Run 7 failed (step_failed): The step rate failed: 404. See that this does not happen again. Its evaluation: 3 of 5 passed.\n',
    ),
    failed,
  )
  const done = written({ procedure: kept, lesson: { ...lesson, error: null, output: '{"n": 1}', eval_summary: null } })
  assert.ok(done.endsWith('- Be quick.\n- Run 7 left this output: {"n": 1}\n'), done)
  const stopped = written({
    procedure: kept,
    lesson: { ...lesson, error: null, status: 'stopped', eval_summary: null },
  })
  assert.ok(stopped.endsWith('- Run 7 is stopped and left no output.\n'), stopped)
})

proves('builder.deterministicNoModel', 'says in the notes that prose is not carried out where no model is set', () => {
  const prompt = 'Report the weather.'
  const told = written({ prompt, hasModel: false })
  assert.match(told, /## Notes\n\n- No model is set for this agent/)
  assert.equal(written({ prompt: 'Be quick.', procedure: told, hasModel: false }).match(/No model is set/g)?.length, 1)
  assert.doesNotMatch(written({ prompt: `${prompt}\n\n${block}`, hasModel: false }), /No model/)
})
