import type { Mutant } from './mutant.ts'

const SERVER = 'packages/server/src'
const CLAIM = "        .set({ claimed_at: now })\n        .where('state_hash', '=', stateHash)\n"

/** Sign-ins and tokens. */
export const OAUTH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a callback may be repeated',
    file: `${SERVER}/connect/oauth-flow/oauth-session-store.ts`,
    original: `${CLAIM}        .where('claimed_at', 'is', null)\n`,
    replacement: CLAIM,
    caughtBy: {
      file: `${SERVER}/connect/oauth-flow/callback/replayed-callback.test.ts`,
      test: 'shows a progress page during the code exchange, which then redirects with the result',
    },
  },
  {
    name: 'a callback is accepted after its session has expired',
    file: `${SERVER}/connect/oauth-flow/oauth-session-store.ts`,
    original: "        .where('expires_at', '>', now)\n        .returningAll()",
    replacement: '        .returningAll()',
    caughtBy: {
      file: `${SERVER}/connect/oauth-flow/callback/state-attacks.test.ts`,
      test: 'is rejected ten minutes after the start',
    },
  },
  {
    name: 'another browser completes a sign-in',
    file: `${SERVER}/connect/oauth-flow/callback/handle-oauth-callback.ts`,
    original:
      '  if (browserSecret === undefined || !isSameBrowser(browserSecret, session.browserHash)) {',
    replacement: '  if (browserSecret === undefined) {',
    caughtBy: {
      file: `${SERVER}/connect/oauth-flow/callback/state-attacks.test.ts`,
      test: "is rejected with another browser's cookie, and uses up the state",
    },
  },
  {
    name: 'no code challenge is sent',
    file: `${SERVER}/integrations/oauth/authorize/authorization-request.ts`,
    original: 'if (!type.usesPkce || !codeChallenge) return []',
    replacement: 'if (codeChallenge !== undefined) return []',
    caughtBy: {
      file: `${SERVER}/integrations/oauth/authorize/authorization-url.test.ts`,
      test: 'requests a code with a PKCE S256 challenge',
    },
  },
  {
    name: 'the code challenge is the verifier',
    file: `${SERVER}/integrations/oauth/authorize/authorization-request.ts`,
    original: 'return await calculatePKCECodeChallenge(codeVerifier)',
    replacement: 'return codeVerifier',
    caughtBy: {
      file: `${SERVER}/integrations/oauth/authorize/authorization-url.test.ts`,
      test: 'derives the challenge of RFC 7636 appendix B',
    },
  },
  {
    name: 'the issuer is not compared',
    file: `${SERVER}/integrations/oauth/authorize/authorization-response.ts`,
    original: 'issuer === undefined || iss === issuer',
    replacement: "issuer === undefined || iss !== ''",
    caughtBy: {
      file: `${SERVER}/integrations/oauth/authorize/authorization-response.test.ts`,
      test: 'compares iss byte for byte, advertised or not (RFC 9207)',
    },
  },
  {
    name: 'a redirect URL is compared by its start',
    file: `${SERVER}/connect/oauth-flow/session/redirect-url.ts`,
    original: 'listed.includes(redirectUrl)',
    replacement: 'listed.some((each) => redirectUrl.startsWith(each))',
    caughtBy: {
      file: `${SERVER}/connect/oauth-flow/session/redirect-url.test.ts`,
      test: 'rejects each of more than 200 variations and accepts the listed URL',
    },
  },
  {
    name: 'a spec replaces redirect_uri and state',
    file: `${SERVER}/integrations/oauth/authorize/authorization-request.ts`,
    original: '!PROTECTED_PARAMS.has(name.toLowerCase())',
    replacement: "name !== ''",
    caughtBy: {
      file: `${SERVER}/integrations/oauth/authorize/authorization-url.test.ts`,
      test: 'ignores parameters of the spec that would weaken the flow',
    },
  },
  {
    name: 'tokens are stored by a process that has lost its lease',
    file: `${SERVER}/accounts/accounts/token-refresh/refresh-store.ts`,
    original: "        .where('account_tokens.lease_owner', '=', lease.owner)\n",
    replacement: '',
    caughtBy: {
      file: `${SERVER}/accounts/accounts/token-refresh/lease-fencing.test.ts`,
      test: 'blocks writes and requests of an owner that has lost it',
    },
  },
  {
    name: 'a process that was suspended sends the refresh token',
    file: `${SERVER}/accounts/accounts/token-refresh/acquire-lease.ts`,
    original: 'maySend: () => performance.now() - startedAt < leaseMs - providerMs',
    replacement: 'maySend: () => startedAt < leaseMs - providerMs + startedAt',
    caughtBy: {
      file: `${SERVER}/accounts/accounts/token-refresh/lease-fencing.test.ts`,
      test: 'blocks writes and requests of an owner that has lost it',
    },
  },
  {
    name: 'no code verifier is sent',
    file: `${SERVER}/integrations/oauth/token/token-endpoint.ts`,
    original: '...(type.usesPkce && codeVerifier ?',
    replacement: '...(!type.usesPkce && codeVerifier ?',
    caughtBy: {
      file: `${SERVER}/integrations/oauth/token/token-endpoint.test.ts`,
      test: 'send the code, redirect URI, verifier and client in a form',
    },
  },
]
