// Two lists side by side.

/** Each element of one list with the element at the same position of the other. Lists of different lengths are a mistake. */
export function zip<A, B>(a: readonly A[], b: readonly B[]): [A, B][] {
  const others = b.values()
  return a.map((one) => {
    const other = others.next()
    if (other.done || a.length !== b.length) throw new Error(`${a.length} and ${b.length} elements do not pair up`)
    return [one, other.value]
  })
}
