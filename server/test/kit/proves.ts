// Tests that prove sentences of the specification: the id of each sentence is checked by the compiler.
import { describe, test, type SuiteContext, type TestContext, type TestOptions } from 'node:test'
import type { RequirementId } from '../requirements.ts'

type Ids = RequirementId | readonly RequirementId[]
type TestBody = (t: TestContext) => Promise<void> | void
type SuiteBody = (s: SuiteContext) => Promise<void> | void

/** A test, named by a sentence, that proves one or more requirements. */
export function proves(_ids: Ids, sentence: string, ...rest: [TestBody] | [TestOptions, TestBody]): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  void test(sentence, options, body)
}

/** A suite whose tests prove the requirements together. */
export function provesTogether(_ids: Ids, subject: string, ...rest: [SuiteBody] | [TestOptions, SuiteBody]): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  void describe(subject, options, body)
}
