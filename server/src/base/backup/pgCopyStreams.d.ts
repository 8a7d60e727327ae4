// Types of the two functions of pg-copy-streams that backups use; the package has none.
declare module 'pg-copy-streams' {
  import type { Readable, Writable } from 'node:stream'
  import type { Submittable } from 'pg'

  /** What COPY counted; known once the statement after it has been answered. */
  interface Counted {
    rowCount: number
  }

  export function to(statement: string): Readable & Submittable & Counted
  export function from(statement: string): Writable & Submittable & Counted
}
