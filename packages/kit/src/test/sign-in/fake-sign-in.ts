import { randomUUID } from 'node:crypto'
import { type Config, fillUrl } from '../../run/fill.ts'
import type { SignInAnswers } from '../fixtures.ts'
import type { Asked } from '../provider.ts'
import { type Reply, reply } from '../reply.ts'
import { type Consent, judgeConsent } from './judge-consent.ts'
import { judgeTokenRequest, readParams } from './judge-token-request.ts'
import type { SignIn } from './read-sign-in.ts'
import { tokenAnswer } from './token-answer.ts'

/** A provider's pages and endpoints of sign-in, with a memory of its own. */
export interface FakeSignIn {
  /** Undefined: none of its endpoints. */
  answer(asked: Asked): Reply | undefined
  /** What was wrong with the requests. */
  readonly faults: readonly string[]
  /** Endpoints that were asked, by name. */
  readonly asked: readonly string[]
  /** The next person says no. */
  deny(): void
  /** Every access token that was given so far ends. */
  expire(): void
  isAlive(accessToken: string): boolean
  isRenewable(refreshToken: string): boolean
  /** The access token that was given last. */
  readonly newest: string | undefined
  /** Says who asks from now on: a bundle, or Linchpin. */
  bundleAsks(isAsking: boolean): void
  /** A bundle had tokens of its own, instead of those that it was given. */
  readonly isRenewedByBundle: boolean
}

/** Fakes what the fixtures document; where they say nothing, what the spec says. */
export function fakeSignIn(
  signIn: SignIn,
  documented: SignInAnswers,
  config: Config,
  isRotationDocumented = true,
): FakeSignIn {
  const faults: string[] = []
  const asked: string[] = []
  const consents = new Map<string, Consent>()
  const pushed = new Map<string, URLSearchParams>()
  const alive = new Set<string>()
  const renewing = new Map<string, Consent>()
  let isDenied = false
  let newest: string | undefined
  let isBundle = false
  let isRenewedByBundle = false

  /** Gives tokens for a consent; the refresh token that was used ends when a new one comes. */
  const give = (consent: Consent, used?: string): Reply => {
    const tokens = {
      access_token: `access.${randomUUID()}~`,
      refresh_token: `again.${randomUUID()}`,
    }
    const values = { ...config, ...tokens }
    const { answer, rotates } = tokenAnswer(documented, consent, values, used !== undefined)
    newest = tokens.access_token
    alive.add(newest)
    if (rotates) {
      // Whether a refresh token ends when a bundle uses it is for the documentation to say.
      if (!isBundle || isRotationDocumented) renewing.delete(used ?? '')
      renewing.set(tokens.refresh_token, consent)
    }
    return answer
  }

  const consent = ({ url }: Asked): Reply => {
    const said = pushed.get(url.searchParams.get('request_uri') ?? '') ?? url.searchParams
    const judged = judgeConsent(signIn, documented, said, config)
    faults.push(...judged.faults)
    const back = new URL(said.get('redirect_uri') ?? 'https://nowhere.test')
    const code = randomUUID()
    back.searchParams.set('state', said.get('state') ?? '')
    if (judged.faults.length > 0) return reply(400, '<h1>This is no request for consent</h1>')
    if (isDenied) back.searchParams.set('error', 'access_denied')
    else back.searchParams.set('code', code)
    if (!isDenied) consents.set(code, judged.consent)
    isDenied = false
    for (const [name, value] of Object.entries(documented.callback ?? {}))
      back.searchParams.set(name, value)
    return reply(302, '', { location: back.href })
  }

  const tokenEndpoint = (seen: Asked): Reply => {
    const params = readParams(seen)
    const lacks = judgeTokenRequest(documented, seen, params, consents.get(params.code ?? ''))
    faults.push(...lacks)
    if (lacks.length > 0) return reply(400, { error: 'invalid_request' })
    const { code = '', refresh_token: used } = params
    isRenewedByBundle ||= isBundle && used !== undefined
    const grant = used === undefined ? consents.get(code) : renewing.get(used)
    consents.delete(code)
    return grant === undefined ? reply(400, { error: 'invalid_grant' }) : give(grant, used)
  }

  const endpoints: Readonly<Record<string, readonly [string | undefined, Answering]>> = {
    consent: [documented.authorize ?? signIn.authorizationUrl, consent],
    push: [
      signIn.pushUrl,
      ({ body }) => {
        const request_uri = `urn:test:${randomUUID()}`
        pushed.set(request_uri, new URLSearchParams(body))
        return reply(201, { request_uri, expires_in: 60 })
      },
    ],
    token: [documented.token ?? signIn.tokenUrl, tokenEndpoint],
    refresh: [documented.refresh ?? documented.token ?? signIn.refreshUrl, tokenEndpoint],
    revocation: [
      documented.revocation ?? signIn.revocationUrl,
      (seen) => {
        const { token = '' } = readParams(seen)
        if (!alive.delete(token) && renewing.delete(token)) alive.clear()
        return reply(200)
      },
    ],
  }

  return {
    faults,
    asked,
    answer(seen) {
      for (const [name, [template, answering]] of Object.entries(endpoints)) {
        const meant = template === undefined ? undefined : new URL(fillUrl(template, config))
        if (meant === undefined || meant.origin !== seen.url.origin) continue
        if (meant.pathname !== seen.url.pathname) continue
        if ((name === 'consent') !== (seen.method === 'GET')) continue
        asked.push(name)
        return answering(seen)
      }
      return undefined
    },
    deny() {
      isDenied = true
    },
    expire: () => alive.clear(),
    isAlive: (token) => alive.has(token),
    isRenewable: (token) => renewing.has(token),
    get newest() {
      return newest
    },
    bundleAsks(isAsking) {
      isBundle = isAsking
    },
    get isRenewedByBundle() {
      return isRenewedByBundle
    },
  }
}

type Answering = (asked: Asked) => Reply
