// A pipe of a child process as a socket, by the number of its descriptor.
import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'

/** Throws when the descriptor is not a pipe. Node's own types know five descriptors, and that each may be missing. */
export function pipeOf({ stdio }: ChildProcess, descriptor: number): Socket {
  const pipes: readonly unknown[] = stdio
  const pipe = pipes[descriptor]
  if (!(pipe instanceof Socket)) throw new Error(`descriptor ${descriptor} of the child is not a pipe`)
  return pipe
}
