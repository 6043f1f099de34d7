import type { EventByType, ListEventsQuery } from '../api-types.ts'
import { LinchpinConnectionError, LinchpinError } from '../errors.ts'
import { Group } from '../group.ts'
import type { List, Page } from '../list.ts'
import { path, toSearch } from '../path.ts'
import { getRetryDelayMs, type RequestOptions, sleep } from '../send.ts'

/**
 * An event, by its `type`. A newer service may send types that this version does not know: ignore them in the `default`
 * branch of a `switch`.
 */
export type LinchpinEvent = EventByType[keyof EventByType]

/** Which events to follow. */
export type TailQuery = Omit<ListEventsQuery, 'wait'>

const WAIT_SECONDS = 25
const WAIT_TIMEOUT_MS = 40_000
/** For services that respond at once although nothing happened. */
const PAUSE_MS = 1_000

/** What changed in a workspace. */
export class Events extends Group {
  /** Returns an event. */
  get(eventId: string, options?: RequestOptions): Promise<LinchpinEvent> {
    return this.sendGet(path`/event/${eventId}`, undefined, options)
  }

  /** The events so far, in the order of `sequence`. */
  list(query?: ListEventsQuery, options?: RequestOptions): List<LinchpinEvent> {
    return this.listPages('/event', query, options)
  }

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
