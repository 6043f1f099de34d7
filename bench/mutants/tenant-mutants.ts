// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files
import type { Mutant } from './mutant.ts'

const SERVER = 'packages/server/src'

/** Who may read and write what. */
export const TENANT_MUTANTS: readonly Mutant[] = [
  {
    name: 'workspaces of other users are accessible',
    file: `${SERVER}/access/auth/workspace-access-store.ts`,
    original: ' and accessible.user_id = ${userId}',
    replacement: '',
    caughtBy: {
      file: `${SERVER}/accounts/accounts/get-account.test.ts`,
      test: 'GET /v1/integration_account/{id}: 404 for foreign and unknown ids alike',
    },
  },
  {
    name: 'a token that is bound to a workspace reads others',
    file: `${SERVER}/access/auth/caller.ts`,
    original: 'boundWorkspaceId === null || boundWorkspaceId === workspaceId',
    replacement: "boundWorkspaceId !== '' || boundWorkspaceId === workspaceId",
    caughtBy: {
      file: `${SERVER}/connect/links/get-link.test.ts`,
      test: 'GET /v1/link/{linkId}: 404 for foreign and unknown ids alike',
    },
  },
  {
    name: 'a bound token lists the tokens of other workspaces',
    file: `${SERVER}/access/tokens/token-store.ts`,
    original: ": all.where('workspace_id', '=', access.boundWorkspaceId)",
    replacement: ': all',
    caughtBy: {
      file: `${SERVER}/access/tokens/list-tokens.test.ts`,
      test: 'GET /v1/user/token: 200 for a bound token lists only tokens bound to the same workspace',
    },
  },
  {
    name: 'scopes are not checked',
    file: `${SERVER}/access/auth/caller.ts`,
    original: '  assertScopeGranted(caller.scopes, scope)',
    replacement: "  if (scope === 'admin') assertScopeGranted(caller.scopes, scope)",
    caughtBy: {
      file: `${SERVER}/accounts/accounts/get-account.test.ts`,
      test: '403: needs the scope read',
    },
  },
  {
    name: 'a token with write sends stored secrets to a host of its choice',
    file: `${SERVER}/access/auth/stored-secrets.ts`,
    original: 'mayRead || changed.length === 0',
    replacement: 'mayRead || changed.length >= 0',
    caughtBy: {
      file: `${SERVER}/accounts/accounts/secret-required.test.ts`,
      test: 'POST /v1/integration_account/{id}: 403 secret_required for a changed host alone; the stored key is not sent, and the attempt is audited',
    },
  },
  {
    name: 'an expired token is accepted',
    file: `${SERVER}/access/auth/authenticate.ts`,
    original: 'token.expires_at !== null && token.expires_at <= currentTime',
    replacement: 'token.expires_at === 0',
    caughtBy: {
      file: `${SERVER}/access/tokens/create-token.test.ts`,
      test: 'POST /v1/user/token: 201 the token and its descendants work until the exact millisecond of expiry',
    },
  },
  {
    name: 'a revoked token is accepted',
    file: `${SERVER}/access/auth/access-token-store.ts`,
    original: "\n        .where('revoked_at', 'is', null),",
    replacement: ',',
    caughtBy: {
      file: `${SERVER}/access/tokens/delete-token.test.ts`,
      test: 'DELETE /v1/user/token/{tokenId}: 200 revokes the token immediately',
    },
  },
  {
    name: 'a token of some accounts reaches all',
    file: `${SERVER}/access/auth/authenticate.ts`,
    original: "token.account_ids === null ? null : new Set(token.account_ids.split(' '))",
    replacement: 'null',
    caughtBy: {
      file: `${SERVER}/access/tokens/account-bound-tokens.test.ts`,
      test: 'get 404 for every other account, as for one that does not exist',
    },
  },
  {
    name: 'requests are not counted',
    file: `${SERVER}/access/auth/rate-limiter.ts`,
    original: '      window.count += 1\n',
    replacement: '',
    caughtBy: {
      file: `${SERVER}/access/auth/rate-limiter.test.ts`,
      test: 'accepts the limit in any 60 seconds, and not more',
    },
  },
  {
    name: 'a bundle computes as long as it likes',
    file: 'packages/runner/src/sandbox/meter.ts',
    original: 'if (left <= 0) this.stopReason = this.limit',
    replacement: 'if (left === undefined) this.stopReason = this.limit',
    caughtBy: {
      file: 'packages/runner/src/sandbox/meter.test.ts',
      test: 'has passed once the guest has computed for too long, or the call is over',
    },
  },
  {
    name: 'a refused request does not say when to come back',
    file: `${SERVER}/access/auth/rate-limiter.ts`,
    original: "    headers: { 'retry-after': String(seconds) },\n",
    replacement: '',
    caughtBy: {
      file: `${SERVER}/access/auth/rate-limiter.test.ts`,
      test: 'the request after Retry-After is accepted, and one second earlier it is not',
    },
  },
  {
    name: 'a link accepts more accounts than its limit',
    file: `${SERVER}/connect/links/link-policy.ts`,
    original: "    throw new ApiError('link_full', 'This link has reached its account limit.')\n",
    replacement: '    deps.now()\n',
    caughtBy: {
      file: `${SERVER}/connect/links/link-policy.test.ts`,
      test: 'POST /v1/integration_account/link/{linkId}: 400 link_full before CHECK runs; deleting an account makes room',
    },
  },
]
