// One operation as `runyard call` knows it. The table is written by `npm run openapi`.

export interface OperationField {
  name: string
  /** `mixed`: text, or JSON when it is an object or a list. */
  kind: 'text' | 'number' | 'boolean' | 'json' | 'mixed' | 'file'
  isRequired: boolean
  says: string
  choices?: (string | number | boolean)[]
}

export interface OperationRow {
  id: string
  /** `runs` and `start` of the SDK. */
  group: string
  method: string
  summary: string
  says: string
  answer: 'json' | 'nothing' | 'list' | 'file' | 'events' | 'protocol'
  input: 'body' | 'query' | 'bytes' | 'none'
  /** The parameters of the path, without the team. */
  parameters: string[]
  fields: OperationField[]
}
