import type { StubProviderContext } from '../../server/src/connect/oauth-flow/test/stub-provider-context.ts'
import { testContext } from '../../server/test/test-context.ts'
import { Linchpin, type LinchpinOptions } from '../src/index.ts'

/** A request that the SDK sent. */
export interface SentRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
}

/** A service that listens, and its SDK. */
export interface SdkTestContext {
  readonly t: StubProviderContext
  readonly baseUrl: string
  readonly linchpin: Linchpin
  /** What `linchpin` has sent so far. */
  readonly sent: SentRequest[]
  /** Another SDK of the same service. */
  connect(options?: Partial<LinchpinOptions>): Linchpin
}

/** Starts a service. Close `t` in `after`. */
export async function startSdkTestContext(): Promise<SdkTestContext> {
  const t = await testContext({ provider: true, logLevel: 'warn' })
  const baseUrl = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const sent: SentRequest[] = []
  const connect = (options: Partial<LinchpinOptions> = {}) =>
    new Linchpin({ baseUrl, token: t.token, ...options })
  const recordingFetch = (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    sent.push({ method: request.method, url: new URL(request.url), headers: request.headers })
    return fetch(input, init)
  }
  return { t, baseUrl, sent, connect, linchpin: connect({ fetch: recordingFetch }) }
}
