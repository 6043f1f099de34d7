import type { PageLoader } from '../page-loader.ts'
import type { CredentialSubmitter } from '../submit-credentials.ts'
import type { PageNavigation } from './navigation.ts'

interface HistoryOptions {
  readonly loader: PageLoader
  readonly submitter: Pick<CredentialSubmitter, 'abandon'>
  readonly navigation: Pick<PageNavigation, 'goTo'>
}

/** Shows what the address says whenever the browser's own buttons change it. */
export function followHistory({ loader, submitter, navigation }: HistoryOptions): void {
  const getCurrentUrl = () => new URL(location.href)
  addEventListener('popstate', () => void navigation.goTo(getCurrentUrl(), { historyMode: 'none' }))
  addEventListener('pagehide', () => submitter.abandon())
  // Back from the provider by the browser's own button: what is shown is old.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void loader.navigate(getCurrentUrl(), { historyMode: 'none' })
  })
}
