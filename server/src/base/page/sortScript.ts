// The only script that a page may run: a click on the head of a table sorts its rows. Pages allow it by its hash.
import { createHash } from 'node:crypto'

export const sortScript = `addEventListener('click', (event) => {
  const head = event.target instanceof Element ? event.target.closest('.ry-table th') : null
  const body = head && head.closest('table').tBodies[0]
  if (!body) return
  const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1
  for (const other of head.parentNode.children) other.removeAttribute('aria-sort')
  head.setAttribute('aria-sort', sign === 1 ? 'ascending' : 'descending')
  const keyOf = (row) => {
    const cell = row.cells[head.cellIndex]
    const order = cell && cell.getAttribute('data-order')
    return order === null ? (cell ? cell.textContent : '') : Number(order)
  }
  const keyed = Array.from(body.rows, (row) => [keyOf(row), row])
  keyed.sort(([one], [other]) => {
    if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1
    return sign * (typeof one === 'number' ? one - other : one.localeCompare(other))
  })
  body.append(...keyed.map(([, row]) => row))
})`

export const sortScriptHash = `sha256-${createHash('sha256').update(sortScript).digest('base64')}`
