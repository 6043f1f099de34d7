import { button } from '../../page/components/button.ts'
import type { Emptiness } from '../open/find-tools.ts'
import type { Tool } from '../open/tools.ts'
import { type Page, pageUrl } from './page.ts'
import type { Screen } from './screen.ts'
import { toldScreen } from './told.ts'
import { pageBar } from './way-out.ts'

/** Nothing to choose from: why, and whose move it is. */
export function emptyScreen(
  page: Page,
  why: Emptiness,
  missing: Tool | undefined,
  { hasOthers = false }: { readonly hasOthers?: boolean } = {},
): Screen {
  const { words, by } = page
  const facts = { workspace: by, tool: missing?.definition.name ?? '' }
  return toldScreen('pickerEmpty', words.states[why](facts), {
    mark: 'info',
    bar: pageBar(page),
    buttons: [
      hasOthers
        ? button({
            text: words.action.chooseAnother,
            href: pageUrl(page),
            attributes: { 'data-go': true },
          })
        : undefined,
    ],
    data: { 'data-code': CODES[why] },
  })
}

const CODES: Readonly<Record<Emptiness, string>> = {
  noneInWorkspace: 'none_in_workspace',
  noneMatchKeys: 'none_match_keys',
  noneWithSignIn: 'none_with_sign_in',
  appMissing: 'app_missing',
}
