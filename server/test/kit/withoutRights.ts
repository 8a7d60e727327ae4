// Work as an account that permissions hold for. Root ignores them, and tests often run as root.
import { isRoot } from '../../src/base/accounts.ts'

/** For files of tests that have a process of their own: the account is that of the whole process. */
export async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot()) return work()
  process.seteuid?.(65534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
