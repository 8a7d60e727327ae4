// One operation as "Copy as" knows it. The table is written by `npm run openapi`.

export interface OperationShape {
  verb: string
  /** `/v2/teams/:teamId/runs/:run_id`; `:path*` takes slashes. */
  path: string
  /** `runs.start` of the SDK. */
  call: string
  /** What the one object of arguments becomes. */
  input: 'body' | 'query' | 'bytes' | 'none'
  answer: 'json' | 'nothing' | 'list' | 'file' | 'events' | 'protocol'
  /** How the command line reads a field that is not plain text. */
  fields: Partial<Record<string, 'number' | 'boolean' | 'json' | 'mixed' | 'file'>>
}
