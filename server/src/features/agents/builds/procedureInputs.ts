// What a procedure reads of its input, on the wire.
import { named, Type } from '../../../kit/schema.ts'
import type { InputSchema } from '../../../drivers/model/runbook/inputs.ts'

export const ProcedureInputs = named(
  'ProcedureInputs',
  Type.Object({
    schema: Type.Unsafe<InputSchema>({
      type: 'object',
      additionalProperties: true,
      description:
        'A JSON Schema (2020-12) of the message: a property for each field that the steps read, such as `message.order.id`. `required` has those ' +
        'that some step needs; one without a type can be anything.',
      examples: [{ type: 'object', properties: { invoice: { type: 'string' } }, required: ['invoice'] }],
    }),
    text_is_enough: Type.Boolean({ description: 'The steps read no field, so any text will do as the message.' }),
    is_cut: Type.Boolean({ description: 'The steps read more fields than the schema has.' }),
  }),
)
