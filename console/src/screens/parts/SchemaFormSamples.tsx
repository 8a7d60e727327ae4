// A form with every kind of field, and one that has no fields.
import { useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { checkForm, emptyForm, filledForm, SchemaForm } from '../../parts/SchemaForm.tsx'
import { Sample } from './Sample.tsx'

const supplier = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      title: 'Legal name',
      default: 'Paper and Board Works',
      description: 'Taken from the contract, page 1',
    },
    tax: { type: 'string', title: 'Tax number', minLength: 11 },
    terms: { enum: ['14 days', '30 days', '60 days'], title: 'Payment terms', default: '30 days' },
    limit: { type: 'integer', title: 'Credit limit, EUR', minimum: 0, maximum: 50_000 },
    isNew: { type: 'boolean', title: 'A new supplier' },
    since: { type: 'string', format: 'date', title: 'Since' },
    at: { type: 'string', format: 'date-time', title: 'First delivery' },
    mail: { type: 'string', format: 'email', title: 'E-mail' },
    country: {
      enum: ['Austria', 'Belgium', 'Denmark', 'France', 'Germany', 'Italy', 'Netherlands', 'Poland'],
      title: 'Country',
    },
    days: { type: 'array', items: { enum: ['Monday', 'Wednesday', 'Friday'] }, title: 'Delivers on' },
    size: {
      title: 'How large an order may be before somebody must agree',
      oneOf: [
        { const: 'small', title: 'Up to 500 EUR: nobody has to agree, the agent orders by itself' },
        { const: 'large', title: 'More: the buyer reads every order' },
      ],
    },
    address: {
      type: 'object',
      title: 'Address',
      properties: { street: { type: 'string', title: 'Street' }, city: { type: 'string', title: 'City' } },
      required: ['city'],
    },
    contacts: {
      type: 'array',
      title: 'Contacts',
      items: {
        type: 'object',
        title: 'Contact',
        properties: { name: { type: 'string', title: 'Name' }, phone: { type: 'string', title: 'Phone' } },
        required: ['name'],
      },
    },
    skus: { type: 'array', title: 'Articles', items: { type: 'string', title: 'Article' } },
    note: { type: 'string', title: 'Note for the buyer' },
    extra: { title: 'Anything else' },
  },
  required: ['name', 'tax', 'terms', 'isNew', 'size'],
}

export function SchemaFormSamples() {
  return (
    <>
      <Sample name="Every kind of field">
        <Filled schema={supplier} />
      </Sample>
      <Sample name="Without fields">
        <Filled schema={{ type: 'object' }} />
      </Sample>
      <Sample name="Locked">
        <SchemaForm
          schema={supplier}
          value={{ name: 'x', terms: '14 days' }}
          onChange={() => {}}
          unable="Answered by another."
        />
      </Sample>
    </>
  )
}

export function Filled({ schema }: { schema: unknown }) {
  const [value, setValue] = useState(() => emptyForm(schema))
  const [isTried, setTried] = useState(false)
  const problems = checkForm(schema, value)
  return (
    <>
      <SchemaForm schema={schema} value={value} onChange={setValue} problems={isTried ? problems : {}} />
      <p className="small dim" data-sent>
        {JSON.stringify(filledForm(schema, value)).slice(0, 500)}
      </p>
      <Button onClick={() => setTried(!isTried)}>{isTried ? 'Hide problems' : 'Send'}</Button>
    </>
  )
}
