import { Events as EventOperations } from './api-groups.ts'
import type { LinchpinEvent, ListEventsQuery } from './api-types.ts'
import { LinchpinConnectionError, LinchpinError } from './errors.ts'
import type { Page } from './list.ts'
import { toSearch } from './path.ts'
import { getRetryDelayMs, type RequestOptions, sleep } from './send.ts'

/** Which events to follow. */
export type TailQuery = Omit<ListEventsQuery, 'wait' | 'order' | 'before'>

const WAIT_SECONDS = 25
const WAIT_TIMEOUT_MS = 40_000
/** For services that respond at once although nothing happened. */
const PAUSE_MS = 1_000

/** What changed in a workspace, and what changes from now on. */
export class Events extends EventOperations {
  /**
   * The events after `after`, a `sequence`, and then each new one when it happens. Reconnects when the connection is
   * lost, without losing or repeating an event. Ends by `break`, or with the reason of `options.signal`.
   *
   * @throws LinchpinError `events_gone` if events after `after` are no longer stored; errors that a retry does not change
   */
  async *tail(
    query: TailQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<LinchpinEvent, void, undefined> {
    let search = toSearch({ ...query, wait: WAIT_SECONDS })
    for (;;) {
      const startedAt = Date.now()
      const page = await this.#readUntilConnected(search, options)
      yield* page.items
      if (page.items.length === 0 && Date.now() - startedAt < PAUSE_MS)
        await sleep(PAUSE_MS, options.signal)
      search = page.nextSearch ?? search
    }
  }

  async #readUntilConnected(search: string, options: RequestOptions): Promise<Page<LinchpinEvent>> {
    const pageOptions = { timeoutMs: WAIT_TIMEOUT_MS, ...options }
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.readPage('/event', search, pageOptions)
      } catch (error) {
        const isTemporary =
          error instanceof LinchpinConnectionError ||
          (error instanceof LinchpinError && error.isRetryable)
        if (!isTemporary) throw error
        await sleep(getRetryDelayMs(error, attempt) ?? WAIT_TIMEOUT_MS, options.signal)
      }
    }
  }
}
