// What a case of trouble is: one change to a good request, and what the service must make of it.
import type { ErrorCode } from '../../src/base/errors.ts'
import type { Draft } from './send.ts'

export type Expected =
  /** Whatever the document allows for this operation. */
  | 'anything documented'
  /** The trouble is none: it is ignored, and the operation done. */
  | 'done'
  /** No operation is at this address: refused in the error shape. */
  | 'no operation'
  /** Good as far as its length goes; what it means is for the operation to say. */
  | 'long enough and not too long'
  | Refusal

export interface Refusal {
  status: number
  error?: ErrorCode
  /** What the message must mention. */
  naming?: string[]
}

export interface Case {
  about: string
  change: (draft: Draft) => Draft
  expected: Expected
  /** A constraint of a body field that this case breaks: `name maxLength`. */
  breaks?: string
  /** Sent right after the first, which then must have been done. */
  andThen?: { change: (draft: Draft) => Draft; expected: Expected | 'the first answer again' }
}

export const invalid: Refusal = { status: 400, error: 'invalid_request' }
export const tooLarge: Refusal = { status: 400, error: 'payload_too_large' }

export function withoutCredential(draft: Draft): Draft {
  const headers = { ...draft.headers }
  delete headers['authorization']
  return { ...draft, headers }
}

export function withoutBody(draft: Draft): Draft {
  const copy = { ...draft }
  delete copy.json
  return copy
}

export const isMutating = (method: string): boolean => method !== 'GET'
