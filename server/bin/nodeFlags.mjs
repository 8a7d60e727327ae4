// The flags of Node for the service, whoever starts it.
import * as os from 'node:os'

// Node 18 has no availableParallelism before 18.14
const cores = os.availableParallelism?.() ?? os.cpus().length

/**
 * V8 compiles and collects garbage in threads beside the main one, four unless told otherwise. They compete with it on a small machine: on two
 * cores, a busy service had half as many slow requests (above 25 ms) with one such thread.
 */
const helpers = Math.min(4, Math.max(1, cores - 1))

export const nodeFlags = [`--v8-pool-size=${helpers}`]
