// The script by which a person selects an element of a page: it tells the console around the page, and nobody else, which one was clicked.
import { createHash } from 'node:crypto'

/**
 * It does nothing until the window around the page asks for it. The page may be framed by pages of its own origin only (pageHeaders.ts), so
 * what it tells reaches nobody else. Texts are cut as sendArtifactMessage takes them.
 */
export const selectScript = `(() => {
  const parts = 'h1, h2, h3, h4, p, ul, ol, table, figure, section, article, dl, pre, blockquote, .card, .ry-number'
  const tell = (message) => parent.postMessage({ runyard: 'artifact', ...message }, '*')
  let isOn = false
  let marked = null
  let focusable = []
  const mark = (element) => {
    if (marked === element) return
    if (marked) marked.style.outline = ''
    marked = element
    if (marked) marked.style.outline = '2px solid #0b8a8f'
  }
  const partOf = (target) => (target instanceof Element ? target.closest('main, header') && target.closest(parts) : null)
  const selectorOf = (element) => {
    const steps = []
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const nth = Array.prototype.indexOf.call(at.parentElement.children, at) + 1
      steps.unshift(at.localName + ':nth-child(' + nth + ')')
    }
    return steps.join(' > ').slice(-2000)
  }
  const labelOf = (element) => {
    const head = element.querySelector('h1, h2, h3, h4, figcaption, caption, th, .ry-label')
    const text = (head || element).textContent.replace(/\\s+/g, ' ').trim()
    return (text || element.localName).slice(0, 120)
  }
  const choose = (element) => {
    mark(null)
    const bare = element.cloneNode(true)
    for (const one of [bare, ...bare.querySelectorAll('[tabindex]')]) one.removeAttribute('tabindex')
    bare.removeAttribute('style')
    tell({
      selected: {
        selector: selectorOf(element),
        label: labelOf(element),
        tag_name: element.localName,
        text: element.textContent.replace(/\\s+/g, ' ').trim().slice(0, 10000),
        outer_html: bare.outerHTML.slice(0, 50000),
      },
    })
  }
  const set = (on) => {
    isOn = on
    mark(null)
    document.documentElement.style.cursor = on ? 'crosshair' : ''
    for (const element of focusable) element.removeAttribute('tabindex')
    focusable = on ? Array.from(document.querySelectorAll(parts)) : []
    for (const element of focusable) element.setAttribute('tabindex', '0')
    if (on && focusable[0]) focusable[0].focus({ preventScroll: true })
  }
  addEventListener('message', ({ source, data }) => {
    if (source === parent && data && data.runyard === 'artifact') set(data.select === true)
  })
  addEventListener('pointerover', ({ target }) => isOn && mark(partOf(target)))
  addEventListener('focusin', ({ target }) => isOn && mark(partOf(target)))
  addEventListener('click', (event) => {
    if (!isOn) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const element = partOf(event.target)
    if (element) choose(element)
  }, true)
  addEventListener('keydown', (event) => {
    if (!isOn) return
    if (event.key === 'Escape') tell({ cancelled: true })
    if (event.key !== 'Enter') return
    event.preventDefault()
    const element = partOf(event.target)
    if (element) choose(element)
  }, true)
  tell({ ready: true })
})()`

export const selectScriptHash = `sha256-${createHash('sha256').update(selectScript).digest('base64')}`
