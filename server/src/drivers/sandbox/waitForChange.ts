// Loaded ahead of just-bash in every thread of its child: a wait ends when the value has changed, not when a notification came.

// read now: just-bash removes some of them before a thread runs foreign code
const { load, wait } = Atomics
const now = performance.now.bind(performance)

/**
 * A thread of just-bash that runs Python or JavaScript asks the main one for a file by setting a cell and waiting until it has changed. The
 * main thread sets the cell to answer, and notifies a moment later. A thread that saw the answer before the notification has asked its next
 * question by then. It takes the late notification for the next answer and finds none: `open` then says that a file does not exist
 * (just-bash 3.4.2).
 */
Atomics.wait = ((cells: Int32Array, index: number, value: number, timeoutMs = Infinity) => {
  const waitsUntil = now() + timeoutMs
  for (;;) {
    const woken = wait(cells, index, value, Math.max(0, waitsUntil - now()))
    if (woken !== 'ok' || load(cells, index) !== value) return woken
  }
}) as typeof wait
