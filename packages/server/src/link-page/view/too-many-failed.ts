import { button } from '../../page/components/button.ts'
import { type Page, pageUrl } from './page.ts'
import type { Screen } from './screen.ts'
import { toldScreen } from './told.ts'

/** The page for a visitor whose network has used up its budget of failed checks. */
export function tooManyFailedScreen(page: Page, seconds: number): Screen {
  const { words } = page
  const attributes = { 'data-go': true }
  return toldScreen('tooManyFailed', words.states.tooManyFailed({ seconds }), {
    status: 429,
    mark: 'wait',
    retryAfter: seconds,
    buttons: [button({ text: words.action.tryAgain, href: pageUrl(page), attributes })],
  })
}
