// What the address of a connection holds: the open tool, and how an authorisation ended.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'

export const readConnectionSearch = (raw: RawSearch) =>
  chosen({
    tool: text(raw['tool'])?.slice(0, 300),
    status: oneOf(['connected', 'failed'] as const, raw['status']),
    error: text(raw['error'])?.slice(0, 100),
  })

export type ConnectionSearch = ReturnType<typeof readConnectionSearch>
