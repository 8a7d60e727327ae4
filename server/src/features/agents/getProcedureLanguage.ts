// Tells the words of procedures, for editors that offer them: kinds of blocks, options, filters, and what values begin with.
import { blockKinds } from '../../drivers/model/runbook/block.ts'
import { procedureLanguage } from '../../drivers/model/runbook/language.ts'
import { operation } from '../../kit/operation.ts'
import { named, oneOf, Type } from '../../kit/schema.ts'

const word = {
  name: Type.String(),
  says: Type.String({ description: 'What it is or does, in a sentence.' }),
}
const Word = named('ProcedureWord', Type.Object(word))

const Root = named(
  'ProcedureRoot',
  Type.Object({
    ...word,
    fields: Type.Array(Word, { description: 'The keys after it that are known before a run.' }),
    names_step: Type.Boolean({ description: 'The key after it is the id of an earlier step, written out.' }),
  }),
)

const Option = named(
  'ProcedureOption',
  Type.Object({ ...word, values: Type.Array(Type.String(), { description: 'The values it can have; empty: any.' }) }),
)

const BlockWords = named(
  'ProcedureBlock',
  Type.Object({
    ...word,
    name: oneOf(blockKinds),
    options: Type.Array(Option, { description: 'What can follow the name of the block, as `name=value`.' }),
    verbs: Type.Array(Word, { description: 'The words with which a line of it begins, each as it is written.' }),
    own_roots: Type.Array(Root, {
      description: 'What values in its text begin with, where that differs from `roots`. `if=` always takes `roots`.',
    }),
  }),
)

export const getProcedureLanguage = operation({
  id: 'getProcedureLanguage',
  client: 'agents.procedureLanguage',
  route: 'GET /v2/procedure-language',
  summary: 'Get the words of procedures',
  description:
    'The kinds of blocks with their options, the filters, and what `{{ }}` can read, as this server reads procedures. It changes only with the ' +
    'version of the server.',
  scope: 'agents:read',
  isOfVersion: true,
  status: 200,
  answer: Type.Object({
    blocks: Type.Array(BlockWords),
    filters: Type.Array(
      named(
        'ProcedureFilter',
        Type.Object({
          ...word,
          takes_value: Type.Boolean({ description: 'It takes a value in parentheses: `default("none")`.' }),
        }),
      ),
    ),
    roots: Type.Array(Root, { description: 'What the path of an expression can begin with.' }),
    step_fields: Type.Array(Word, { description: 'What follows the id of a step: `steps.fetch.output`.' }),
  }),
  handler: async () => procedureLanguage,
})
