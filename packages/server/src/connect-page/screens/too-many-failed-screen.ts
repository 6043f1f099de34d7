import { button } from '../../ui/components/button.ts'
import { type PageContext, pageUrl } from './page-context.ts'
import type { Screen } from './screen.ts'
import { statusScreen } from './status-screen.ts'

/** The page for a visitor whose network has used up its budget of failed checks. */
export function tooManyFailedScreen(page: PageContext, seconds: number): Screen {
  const { messages } = page
  const attributes = { 'data-go': true }
  return statusScreen('tooManyFailed', messages.states.tooManyFailed({ seconds }), {
    status: 429,
    mark: 'wait',
    retryAfter: seconds,
    buttons: [button({ text: messages.action.tryAgain, href: pageUrl(page), attributes })],
  })
}
