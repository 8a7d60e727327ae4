// Lets Node's test runner know by the async context, and not by hooks, to which test a piece of work belongs. Loaded before every test file.
//
// The runner hears of every promise that is made and of every one that is collected, so that it knows whose test calls `test` or fails
// late. That is a fifth of the processor time of a process of tests (measured: everyOperation.test.ts takes 21 s instead of 25). Node 24
// carries an AsyncLocalStorage along the same ways at almost no cost. The runner looks up its functions when `node:test` is first loaded,
// so they are replaced before that; where it does not ask for a hook, nothing changes. server/test/testContext.alone.test.ts compares both.
import hooks from 'node:async_hooks'

const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks
const runInAsyncScope = Reflect.get(AsyncResource.prototype, 'runInAsyncScope')

/** The id of the test, suite or hook that runs. */
const current = new AsyncLocalStorage()
/** What the runner does when it hears of something new: it learns the id of a test. */
let tell

const isOfRunner = () => new Error().stack.includes('node:internal/test_runner')
const idle = { enable: () => idle, disable: () => idle }

hooks.createHook = (callbacks) => {
  if (tell || !isOfRunner()) return createHook(callbacks)
  tell = (...heard) => callbacks.init(...heard)
  return idle
}

hooks.executionAsyncId = () => current.getStore() ?? executionAsyncId()

/** A test is the only resource with tests below it. */
const isTest = (resource) => 'subtests' in resource

AsyncResource.prototype.runInAsyncScope = function (work, thisArg, ...given) {
  if (!tell || !isTest(this)) return runInAsyncScope.call(this, work, thisArg, ...given)
  const id = this.asyncId()
  tell(id, 'Test', executionAsyncId(), this)
  const inContext = (...words) => current.run(id, () => Reflect.apply(work, thisArg, words))
  return runInAsyncScope.call(this, inContext, thisArg, ...given)
}
