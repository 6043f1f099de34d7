import { Lru } from './lru.ts'

/** The codes that a child holds. Each call that needs another one asks for it; one answer serves all. */
export class Codes {
  readonly #held = new Lru<string>(16, 32 * 1024 * 1024)
  readonly #awaited = new Map<string, ((code: string) => void)[]>()

  get(sha256: string, ask: () => void): Promise<string> {
    const held = this.#held.get(sha256)
    if (held !== undefined) return Promise.resolve(held)
    return new Promise((resolve) => {
      const waiting = this.#awaited.get(sha256) ?? []
      this.#awaited.set(sha256, [...waiting, resolve])
      ask()
    })
  }

  give(sha256: string, code: string): void {
    this.#held.set(sha256, code, 2 * code.length)
    for (const resolve of this.#awaited.get(sha256) ?? []) resolve(code)
    this.#awaited.delete(sha256)
  }
}
