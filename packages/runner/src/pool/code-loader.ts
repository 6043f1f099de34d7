import type { Call } from './call.ts'

/** Loads the codes that a child asks for: once for all calls that wait for the same one. */
export class CodeLoader {
  readonly #waiting = new Map<string, Set<Call>>()
  readonly #give: (sha256: string, code: string) => void
  readonly #fail: (call: Call, error: unknown) => void

  constructor(
    give: (sha256: string, code: string) => void,
    fail: (call: Call, error: unknown) => void,
  ) {
    this.#give = give
    this.#fail = fail
  }

  /** Never rejects. */
  async load(call: Call): Promise<void> {
    const { bundle } = call
    const waiting = this.#waiting.get(bundle.sha256)
    if (waiting !== undefined) {
      waiting.add(call)
      return
    }
    const calls = new Set([call])
    this.#waiting.set(bundle.sha256, calls)
    try {
      this.#give(bundle.sha256, await bundle.load())
    } catch (error) {
      for (const each of calls) this.#fail(each, error)
    } finally {
      this.#waiting.delete(bundle.sha256)
    }
  }
}
