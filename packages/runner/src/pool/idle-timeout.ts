/** Tracks whether something has been needed recently; calls back once it has not been needed for some milliseconds. */
export class IdleTimeout {
  readonly #ms: number
  readonly #onIdle: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, onIdle: () => void) {
    this.#ms = ms
    this.#onIdle = onIdle
  }

  get isActive(): boolean {
    return this.#timer !== undefined
  }

  /** It is needed now. `onIdle` may call this to wait for as long again. */
  refresh(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#onIdle()
    }, this.#ms).unref()
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
