// Typing over selected lines. A browser that merges lines by itself gives them styles, which the policy of the page forbids and reports;
// so the editor replaces them.
import { EditorView } from '@codemirror/view'

export const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state, composing } = view
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null || state.selection.main.empty || state.readOnly || composing)
      return false
    view.dispatch(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})
