// What runs are given: secrets, logins, skills and files of the team, and which agents use one.
import type { GetSkillAnswer } from '@runyard/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export type GivenKind = 'secrets' | 'logins' | 'skills' | 'files'

interface Words {
  search?: string
}

export const secretsQuery = (input: Words) =>
  queryOptions({
    queryKey: ['given', 'secrets', input],
    queryFn: ({ signal }) => runyard.secrets.list(input, { signal }).page(),
    placeholderData: keepPreviousData,
  })

export const loginsQuery = (input: Words) =>
  queryOptions({
    queryKey: ['given', 'logins', input],
    queryFn: ({ signal }) => runyard.logins.list(input, { signal }).page(),
    placeholderData: keepPreviousData,
  })

export const skillsQuery = (input: Words) =>
  queryOptions({
    queryKey: ['given', 'skills', input],
    queryFn: ({ signal }) => runyard.skills.list(input, { signal }).page(),
    placeholderData: keepPreviousData,
  })

export const filesQuery = (input: Words) =>
  queryOptions({
    queryKey: ['given', 'files', input],
    queryFn: ({ signal }) => runyard.teamFiles.list(input, { signal }).page(),
    placeholderData: keepPreviousData,
  })

export const skillQuery = (id: string) =>
  queryOptions<GetSkillAnswer>({
    queryKey: ['given', 'skills', 'one', id],
    queryFn: ({ signal }) => runyard.skills.get(id, {}, { signal }),
  })

const dependents = {
  secrets: (id: string, signal: AbortSignal) => runyard.secrets.listDependents(id, { signal }),
  logins: (id: string, signal: AbortSignal) => runyard.logins.listDependents(id, { signal }),
  skills: (id: string, signal: AbortSignal) => runyard.skills.listDependents(id, { signal }),
  files: (id: string, signal: AbortSignal) => runyard.teamFiles.listDependents(id, { signal }),
} satisfies Record<GivenKind, unknown>

export const givenDependentsQuery = (kind: GivenKind, id: string) =>
  queryOptions({
    queryKey: ['given', kind, 'dependents', id],
    queryFn: ({ signal }) => dependents[kind](id, signal),
    staleTime: 0,
  })

const deletions = {
  secrets: (id: string) => runyard.secrets.delete(id),
  logins: (id: string) => runyard.logins.delete(id),
  skills: (id: string) => runyard.skills.delete(id),
  files: (id: string) => runyard.teamFiles.delete(id),
} satisfies Record<GivenKind, unknown>

export const deleteGiven = (kind: GivenKind, id: string) => deletions[kind](id)
