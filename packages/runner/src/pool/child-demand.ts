import { IdleTimeout } from './idle-timeout.ts'

/** How many children of each kind are needed, by what has been requested in the last minute. */
export class ChildDemand {
  readonly #size: number
  readonly #shared: IdleTimeout | undefined
  readonly #isolated: IdleTimeout

  /**
   * `size`: the shared children while calls queue. `isLazy`: otherwise there is one; if not, there are always `size`.
   * `onIdle` is called when fewer children are needed; `requestMore` there keeps them for another minute.
   */
  constructor(
    { size, isLazy }: { readonly size: number; readonly isLazy: boolean },
    onIdle: (isIsolated: boolean) => void,
  ) {
    this.#size = size
    this.#shared = isLazy ? new IdleTimeout(IDLE_MS, () => onIdle(false)) : undefined
    this.#isolated = new IdleTimeout(IDLE_MS, () => onIdle(true))
  }

  get shared(): number {
    return this.#shared === undefined || this.#shared.isActive ? this.#size : 1
  }

  get isolated(): number {
    return this.#isolated.isActive ? 1 : 0
  }

  requestMore(isIsolated: boolean): void {
    if (isIsolated) this.#isolated.refresh()
    else this.#shared?.refresh()
  }

  clear(): void {
    this.#isolated.clear()
    this.#shared?.clear()
  }
}

const IDLE_MS = 60_000
