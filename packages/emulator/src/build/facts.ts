/** The part of a row of evidence that the emulator is built from. */
export interface EvidenceFact {
  readonly path: string
  readonly value: unknown
}

/** The facts of one authentication method: its own before those of all. */
export class Facts {
  readonly #byPath: ReadonlyMap<string, unknown>
  readonly #prefix: string
  readonly isEmpty: boolean

  constructor(facts: readonly EvidenceFact[], authType: string) {
    this.#prefix = `auth.${authType}.`
    this.#byPath = new Map(facts.map(({ path, value }) => [path, value]))
    this.isEmpty = facts.length === 0
    const unknown = facts.filter(
      ({ path }) =>
        (path.startsWith(this.#prefix) || !path.startsWith('auth.')) &&
        !KNOWN.test(path.startsWith(this.#prefix) ? path.slice(this.#prefix.length) : path),
    )
    if (unknown.length > 0)
      throw new Error(`the emulator does not know ${unknown.map(({ path }) => path).join(', ')}`)
  }

  /** The value of a fact of this method, or of all. */
  get(path: string): unknown {
    return this.#byPath.get(this.#prefix + path) ?? this.#byPath.get(path)
  }

  text(path: string): string | undefined {
    const value = this.get(path)
    return value === undefined ? undefined : String(value)
  }

  /** The facts below a path, by their names: those of this method replace those of all. */
  below(path: string): readonly (readonly [name: string, value: unknown])[] {
    for (const start of [`${this.#prefix}${path}.`, `${path}.`]) {
      const found = [...this.#byPath].filter(([each]) => each.startsWith(start))
      if (found.length > 0)
        return found.map(([each, value]) => [each.slice(start.length), value] as const)
    }
    return []
  }

  record(path: string): Record<string, string> {
    return Object.fromEntries(this.below(path).map(([name, value]) => [name, String(value)]))
  }
}

/** What evidence may be about, without the prefix of a method: what the emulator does, and what only people and forms need. */
const KNOWN =
  /^(?:docs|register|base|hosts(?:\.\d+)?|(?:.*\.)?fields\..*|(?:headers|query)\.[^.]+|basic|authorize|token|refreshUrl|revoke(?:\..+)?|revokes|par|issuer|redirectName|paramNames\.[^.]+|renew\.(?:first\.)?(?:url|params\.[^.]+)|pkce|client|body|refresh|scopes\.(?:default\.\d+|separator)|(?:authorizeParams|tokenParams|refreshParams)\.[^.]+|(?:tokenResponse|callbackParams)\.\d+|(?:auth|refresh|scope)Errors\.\d+|grantedScopes\..+|requiredScopes\.\d+|incremental|checkInterval|getMayWrite|clientCredentials\.(?:token|client|body|params\.[^.]+|scopes\.(?:default\.\d+|separator))|login\..+|retry\.(?:remaining|reset|unit)|(?:check|identity|after\.\d+)\.(?:get|post|json|expect|ok|where|claim|list|value|(?:query|headers|form)\..+|errors\.\d+|(?:id|label|avatarUrl)(?:\.\d+)?))$/
