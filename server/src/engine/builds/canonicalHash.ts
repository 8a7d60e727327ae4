// Gives one text for one JSON value, whatever the order of its fields: PostgreSQL does not keep that order, so no hash may depend on it.
import { hash } from 'node:crypto'
import { sortedFields } from '../../base/sortedFields.ts'

export const canonicalHash = (value: unknown): string => hash('sha256', JSON.stringify(sortedFields(value)) ?? 'null')
