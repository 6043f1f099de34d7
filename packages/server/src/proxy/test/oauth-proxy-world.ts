// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import { miniBundle } from '../../../test/mini-bundle.ts'
import {
  type Connected,
  oauthSpec,
  type RenewalWorld,
  startRenewalWorld,
} from '../../account/renewal/test/renewal-world.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { ProxyLimits } from '../proxy-limits.ts'

/** A service with OAuth accounts at a strict provider, and an API that is called through the proxy. */
export interface OAuthProxyWorld extends RenewalWorld {
  /** Requests at the API so far. */
  readonly seen: Seen[]
  /** The API: the status that it answers a bearer with. */
  judge: (bearer: string, index: number) => number | Promise<number>
  /** An account whose token lives for an hour. */
  connected(row?: Partial<AccountRow>): Promise<Connected>
  ask(id: string, body?: Buffer<ArrayBuffer>, signal?: AbortSignal): Promise<Told>
  /** Forgets what was seen, and lets everything through. */
  reset(): void
}

export interface Seen {
  readonly bearer: string
  readonly size: number
}

/** What came back through the proxy. */
export interface Told {
  readonly status: number
  readonly text: string
  /** `provider` or `linchpin`. */
  readonly by: string | null
}

/** Starts one. Close it in `after`. */
export async function startOAuthProxyWorld(
  options: { url?: string | undefined; proxyLimits?: ProxyLimits } = {},
): Promise<OAuthProxyWorld> {
  const world = await startRenewalWorld(options)
  const { t, provider } = world
  const base = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const api: OAuthProxyWorld = {
    ...world,
    seen: [],
    judge: () => 200,
    async connected(row = {}) {
      const code = miniBundle(
        oauthSpec(provider, {
          api_base_url: `${t.origin.url}/api`,
          headers: { Authorization: 'Bearer ${access_token}' },
        }),
      )
      const expires = { token_expires_at: Date.now() + 3_600_000, renew_at: Date.now() + 3_000_000 }
      return world.account({ code, row: { ...expires, ...row } })
    },
    async ask(id, body, signal) {
      const answer = await fetch(`${base}/api/v1/integration_account/${id}/proxy/me`, {
        method: 'POST',
        headers: { authorization: `Bearer ${t.token}` },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      })
      const text = await answer.text()
      return { status: answer.status, text, by: answer.headers.get('linchpin-proxy') }
    },
    reset() {
      api.seen.length = 0
      api.judge = () => 200
      provider.calls.length = 0
      Object.assign(provider, { beforeRotation: undefined, afterRotation: undefined })
    },
  }
  t.origin.serve('/api/me', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const bearer = String(request.headers.authorization)
    const index = api.seen.push({ bearer, size: Buffer.concat(chunks).length }) - 1
    response.writeHead(await api.judge(bearer, index)).end(bearer)
  })
  return api
}
