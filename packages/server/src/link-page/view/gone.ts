import { button } from '../../page/components/button.ts'
import type { Tool } from '../open/tools.ts'
import { type Page, pageUrl } from './page.ts'
import type { Screen } from './screen.ts'
import { toldScreen } from './told.ts'
import { pageBar } from './way-out.ts'

/** A form came that the link does not offer any more: the whole tool is gone, or this way to connect it. */
export function goneScreen(page: Page, tool: Tool | undefined, name: string): Screen {
  const { words, by } = page
  const facts = { tool: tool?.definition.name ?? name.slice(0, MAX_NAME), workspace: by }
  const [state, status] = tool === undefined ? (['notOffered', 410] as const) : CHANGED
  const key = tool?.definition.key
  return toldScreen(state, words.states[state](facts), {
    status,
    mark: 'info',
    bar: pageBar(page),
    buttons: [
      button({
        text: tool === undefined ? words.action.chooseAnother : words.action.startAgain,
        href: pageUrl(page, { integration: key }),
        attributes: { 'data-go': true },
      }),
    ],
    data: { 'data-code': tool === undefined ? 'not_offered' : 'way_changed', 'data-key': key },
  })
}

const CHANGED = ['wayChanged', 409] as const
/** The name comes with the form. */
const MAX_NAME = 200
