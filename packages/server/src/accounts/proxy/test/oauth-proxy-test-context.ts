// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax

import type { WholeAccountRow } from '../../../../test/account-rows.ts'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import {
  type ConnectedAccount,
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../../accounts/token-refresh/test/refresh-test-context.ts'
import type { ProxyLimits } from '../send-to-provider.ts'

/** A service with OAuth accounts at a strict provider, whose API is called through the proxy. */
export interface OAuthProxyTestContext extends RefreshTestContext {
  /** Requests to the API so far. */
  readonly apiRequests: ApiRequest[]
  /** The API: returns the status for a bearer token. */
  statusForBearer: (bearer: string, index: number) => number | Promise<number>
  /** Creates an account whose token is valid for an hour. */
  connectAccount(row?: Partial<WholeAccountRow>): Promise<ConnectedAccount>
  send(id: string, body?: Buffer<ArrayBuffer>, signal?: AbortSignal): Promise<ProxyResult>
  /** Clears the recorded requests and accepts all tokens. */
  reset(): void
}

export interface ApiRequest {
  readonly bearer: string
  readonly size: number
}

/** A response of the proxy. */
export interface ProxyResult {
  readonly status: number
  readonly text: string
  /** `provider` or `linchpin`. */
  readonly respondedBy: string | null
}

/** Starts the context. Close it in `after`. */
export async function startOAuthProxyTestContext(
  options: { url?: string | undefined; proxyLimits?: ProxyLimits } = {},
): Promise<OAuthProxyTestContext> {
  const context = await startRefreshTestContext(options)
  const { t, provider } = context
  const baseUrl = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const api: OAuthProxyTestContext = {
    ...context,
    apiRequests: [],
    statusForBearer: () => 200,
    async connectAccount(row = {}) {
      const code = createMiniBundle(
        createOAuthSpec(provider, {
          api_base_url: `${t.stubServer.url}/api`,
          headers: { Authorization: 'Bearer ${access_token}' },
        }),
      )
      const expires = {
        token_expires_at: Date.now() + 3_600_000,
        refresh_at: Date.now() + 3_000_000,
      }
      return context.account({ code, row: { ...expires, ...row } })
    },
    async send(id, body, signal) {
      const response = await fetch(`${baseUrl}/api/v1/integration_account/${id}/proxy/me`, {
        method: 'POST',
        headers: { authorization: `Bearer ${t.token}` },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      })
      const text = await response.text()
      return { status: response.status, text, respondedBy: response.headers.get('linchpin-proxy') }
    },
    reset() {
      api.apiRequests.length = 0
      api.statusForBearer = () => 200
      provider.calls.length = 0
      Object.assign(provider, { beforeRotation: undefined, afterRotation: undefined })
    },
  }
  t.stubServer.serve('/api/me', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const bearer = String(request.headers.authorization)
    const index = api.apiRequests.push({ bearer, size: Buffer.concat(chunks).length }) - 1
    response.writeHead(await api.statusForBearer(bearer, index)).end(bearer)
  })
  return api
}
