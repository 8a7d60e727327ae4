// Fields, with hints and problems.
import { Field, Input, Select, TextArea } from '../../parts/Field.tsx'
import { Row, Sample } from './Sample.tsx'

export function FieldSamples() {
  return (
    <>
      <Sample name="Usual, required, with a hint">
        <Field label="Name" isRequired hint="People see it in lists.">
          <Input placeholder="Refund desk" />
        </Field>
      </Sample>
      <Sample name="With a problem">
        <Field label="Tax number" problem="Nine digits after the country, this has eight.">
          <Input defaultValue="DE 12345678" />
        </Field>
      </Sample>
      <Sample name="Long text, a choice, switched off">
        <Row>
          <Field label="Note">
            <TextArea rows={2} defaultValue="Asked for pallets instead of parcels." />
          </Field>
          <Field label="Terms">
            <Select
              options={[
                { value: '', label: 'Choose…' },
                { value: '14', label: '14 days' },
              ]}
            />
          </Field>
          <Field label="Locked">
            <Input defaultValue="Answered by another" disabled />
          </Field>
        </Row>
      </Sample>
    </>
  )
}
