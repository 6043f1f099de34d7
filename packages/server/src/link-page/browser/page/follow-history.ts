import type { PageLoader } from '../load-page.ts'
import type { Keys } from '../send-keys.ts'
import type { Moves } from './moves.ts'

interface HistoryParts {
  readonly loader: PageLoader
  readonly keys: Pick<Keys, 'abandon'>
  readonly moves: Pick<Moves, 'goTo'>
}

/** Shows what the address says whenever the browser's own buttons change it. */
export function followHistory({ loader, keys, moves }: HistoryParts): void {
  const here = () => new URL(location.href)
  addEventListener('popstate', () => void moves.goTo(here(), { how: 'none' }))
  addEventListener('pagehide', () => keys.abandon())
  // Back from the provider by the browser's own button: what is shown is old.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void loader.go(here(), { how: 'none' })
  })
}
