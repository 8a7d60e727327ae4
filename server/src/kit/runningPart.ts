// The running parts of a process: each is made once, when it is first needed, and belongs to the process's context.
import type { Context } from './context.ts'

/** Returns the function that gives a process's part, such as its engine or one of its pools. */
export function runningPart<Part>(name: string, start: (context: Context) => Part): (context: Context) => Part {
  const key = Symbol(name)
  return (context) => {
    const { parts } = context
    if (!parts.has(key)) parts.set(key, start(context))
    return parts.get(key) as Part
  }
}

/** A part that is given to the process where its context is made. */
export function givenPart<Part>(name: string): {
  of: (context: Context) => Part
  give: (context: Context, part: Part) => void
} {
  const key = Symbol(name)
  return {
    of(context) {
      if (!context.parts.has(key)) throw new Error(`this process was not given its ${name}`)
      return context.parts.get(key) as Part
    },
    give(context, part) {
      context.parts.set(key, part)
    },
  }
}
