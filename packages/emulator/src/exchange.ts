import type { Reply } from './provider.ts'

/** A request to a provider, with the URL that its sender means. */
export interface ProviderRequest {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** What a request was, and what of it differs from the provider's documents although it was answered. */
export interface Answer extends Reply {
  readonly kind: 'authorize' | 'par' | 'token' | 'exchange' | 'revoke' | 'login' | 'api'
  readonly key: string
  readonly authType: string
  readonly deviations: readonly string[]
}

/** The parameters of a body: JSON or a form. Nested values of JSON are unchanged. */
export function readParams({ headers, body }: ProviderRequest): Readonly<Record<string, unknown>> {
  if (!isJson(headers)) return Object.fromEntries(new URLSearchParams(body))
  try {
    return Object(JSON.parse(body))
  } catch {
    return {}
  }
}

export function isJson(headers: ProviderRequest['headers']): boolean {
  return /^application\/(?:[\w.-]+\+)?json/i.test(headers['content-type'] ?? '')
}
