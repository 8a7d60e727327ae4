// Cases, any number of them at once.
import type { CallOptions } from './call.ts'
import { CasesGroup } from './generated/groups.ts'
import type { CreateCasesAnswer, CreateCasesInput } from './generated/types.ts'

export type NewCase = NonNullable<CreateCasesInput['case']>
export type AddedCase = CreateCasesAnswer['added_cases'][number]

/** A key of the caller would be the same for each batch; `external_id` makes a repeat safe instead. */
export interface CreateManyOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** How many go in one request: 100 unless given. */
  batchSize?: number
  onProgress?: (progress: { done: number; existing: number }) => void
}

/** How many bytes of cases go in one request at most; the server takes 2 MiB. */
const batchBytesMax = 1024 * 1024

export class Cases extends CasesGroup {
  /**
   * Adds cases in batches and gives each as the server has it. With `external_id` a case is made once, however often this is repeated:
   * after a crash, start again from the beginning.
   */
  async *createMany(
    queueId: string,
    cases: Iterable<NewCase> | AsyncIterable<NewCase>,
    options: CreateManyOptions = {},
  ): AsyncGenerator<AddedCase, void, undefined> {
    const { batchSize = 100, onProgress, ...call } = options
    let done = 0
    let existing = 0
    for await (const batch of batchesOf(cases, batchSize)) {
      const { added_cases } = await this.create(queueId, { cases: batch }, call)
      done += added_cases.length
      existing += added_cases.filter((one) => one.existing).length
      onProgress?.({ done, existing })
      yield* added_cases
    }
  }
}

async function* batchesOf(
  cases: Iterable<NewCase> | AsyncIterable<NewCase>,
  batchSize: number,
): AsyncGenerator<NewCase[], void, undefined> {
  let batch: NewCase[] = []
  let bytes = 0
  for await (const one of cases) {
    const size = JSON.stringify(one).length * 2
    if (batch.length === batchSize || (batch.length > 0 && bytes + size > batchBytesMax)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(one)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
