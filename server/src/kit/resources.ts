// What a path parameter names: `run_id` and `runId` both lead to the resource `run`, found together with its team.
import type { Sql } from '../base/db.ts'
import type { Caller } from './credential.ts'

/**
 * The row each resource gives to handlers. A noun file adds its own:
 * `declare module '../../kit/resources.ts' { interface Resources { member: Member } }`.
 */
// oxlint-disable-next-line typescript/no-empty-interface -- filled by the noun files
export interface Resources {}

export interface Resource {
  name: string
  /** One statement that finds the row by id and team: what is not ours, or is hidden from this caller, does not exist. */
  find(sql: Sql, id: string, teamId: string, caller: Caller): Promise<object[]>
  /** Throws a Fault if this caller may read the row, but not change it. Asked before every operation that is not a GET. */
  requireChange?: ((sql: Sql, row: never, caller: Caller) => Promise<void>) | undefined
}

export function resource<Name extends keyof Resources>(
  name: Name,
  find: (sql: Sql, id: string, teamId: string, caller: Caller) => Promise<Resources[Name][]>,
  requireChange?: (sql: Sql, row: Resources[Name], caller: Caller) => Promise<void>,
): Resource {
  return { name, find, requireChange }
}

/** The names of a path's parameters. */
export type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}*`
    ? Name
    : Path extends `${string}:${infer Name}`
      ? Name
      : never

type NounOf<Parameter extends string> = Parameter extends `${infer Noun}_id`
  ? Noun
  : Parameter extends `${infer Noun}Id`
    ? Noun
    : never

/** The rows that a route's parameters become. */
export type ResourcesOf<Path extends string> = {
  [P in ParametersOf<Path> as NounOf<P> extends keyof Resources ? NounOf<P> : never]: Resources[NounOf<P> &
    keyof Resources]
}

/** The parameters that name no resource and reach the handler as text. */
export type PlainParametersOf<Path extends string> = {
  [P in ParametersOf<Path> as IsResource<NounOf<P>> extends true ? never : P]: string
}

type IsResource<Noun> = [Noun] extends [never] ? false : Noun extends keyof Resources | 'team' ? true : false

const nouns = new Map<string, string | undefined>()

/** Remembered, since every request asks it of the same few names. */
export function nounOf(parameter: string): string | undefined {
  if (!nouns.has(parameter)) nouns.set(parameter, /^(.+?)(?:_id|Id)$/.exec(parameter)?.[1])
  return nouns.get(parameter)
}

export const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** A path may end in `:path*`: the parameter that takes all the rest, slashes included. */
export const restParameterOf = (path: string): string | undefined => /:(\w+)\*$/.exec(path)?.[1]
