import Type, { type Static } from 'typebox'
import {
  IdOf,
  Nullable,
  OptionalField,
  StrictObject,
  Timestamp,
} from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import { SCOPES } from '../auth/caller.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'

/** An access token without its value, of which only the hash is stored. Times are epoch milliseconds. */
export interface AccessToken {
  readonly tokenId: TokenId
  readonly userId: Id<'usr'>
  /** The workspace that the token is bound to; null for all workspaces of the user. */
  readonly workspaceId: WorkspaceId | null
  /** The accounts that the token is bound to; null or absent for all. */
  readonly accountIds?: readonly Id<'acc'>[] | null
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  /** Null if it does not expire. */
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

export type TokenId = Id<'tok'>

/** An access token to be stored. */
export interface NewAccessToken extends AccessToken {
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array
  /** The token that created this one; when it is revoked, so is this one. */
  readonly parentTokenId: TokenId | null
  /** Its own limits, if they are lower than those of the service. */
  readonly readsPerMinute?: number | null
  readonly writesPerMinute?: number | null
  readonly origin: 'owner' | 'environment' | 'minted' | 'user' | 'agent'
}

/** Default lifetime of a token: 90 days, in seconds. */
export const DEFAULT_TTL_SECONDS = 90 * 24 * 60 * 60

/** How many accounts a token can be bound to. */
const MAX_BOUND_ACCOUNTS = 100

const fields = {
  tokenId: Type.String({ description: 'Identifier of the token. Not secret.' }),
  name: Type.String({ description: 'Name of the token.' }),
  scopes: Type.Array(Type.String(), { description: 'What the token may do.' }),
  workspaceId: Nullable(
    IdOf<WorkspaceId>({
      description: 'The workspace that the token is bound to; null: all workspaces of the user.',
    }),
  ),
  integrationAccountIds: Nullable(
    Type.Array(IdOf<Id<'acc'>>({ description: 'Identifier of the integration account.' }), {
      description: 'The only accounts that the token can get and use; null: all accounts.',
    }),
  ),
  expiresAt: Nullable(Timestamp('Expiry time; null: never.')),
}

const example = {
  tokenId: 'tok_01kahn2s6kf5arr5d1x6z5cq3b',
  name: 'backend',
  scopes: ['read', 'write'],
  workspaceId: null,
  integrationAccountIds: null,
  expiresAt: '2027-02-19T10:00:00.000Z',
}

const rate = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 999_999_999, description })

export const CreateToken = StrictObject(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'What the token is for.' }),
    seconds: OptionalField(
      Type.Integer({
        minimum: 1,
        maximum: 315_360_000,
        description: 'Lifetime in seconds. Default: 90 days.',
      }),
    ),
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Binds the token to this workspace.' }),
    ),
    integrationAccountIds: OptionalField(
      Type.Array(
        IdOf<Id<'acc'>>({ maxLength: 64, description: 'Identifier of an integration account.' }),
        {
          minItems: 1,
          maxItems: MAX_BOUND_ACCOUNTS,
          uniqueItems: true,
          description:
            'Binds the token to these accounts of its workspace: it can get them and send requests through their proxy, and nothing else.',
        },
      ),
    ),
    readsPerMinute: OptionalField(
      rate('Maximum number of reads per minute, if it is lower than that of the service.'),
    ),
    writesPerMinute: OptionalField(
      rate('Maximum number of other requests per minute, if it is lower than that of the service.'),
    ),
    scopes: OptionalField(
      Type.Array(Type.Unsafe<(typeof SCOPES)[number]>({ type: 'string', enum: [...SCOPES] }), {
        minItems: 1,
        maxItems: SCOPES.length,
        uniqueItems: true,
        description:
          'Default: read and write, if the creating token has them. write includes the five scopes that end in :write, and accounts:write includes accounts:reconnect.',
      }),
    ),
  },
  { $id: 'CreateToken', examples: [{ name: 'backend', scopes: ['read', 'write'] }] },
)
export type CreateToken = Static<typeof CreateToken>

/** The only response that contains the token itself, which cannot be retrieved again. */
export const NewToken = StrictObject(
  { ...fields, token: Type.String({ description: 'The token. Returned only once.' }) },
  {
    $id: 'NewToken',
    description: 'A newly created token.',
    examples: [{ ...example, token: 'lp_…' }],
  },
)
export type NewToken = Static<typeof NewToken>

export const Token = StrictObject(
  {
    ...fields,
    createdAt: Timestamp('Creation time.'),
    lastUsedAt: Nullable(
      Timestamp('Time of last use, with a resolution of 15 minutes; null: never used.'),
    ),
    revokedAt: Nullable(Timestamp('Time of revocation; null if not revoked.')),
  },
  {
    $id: 'Token',
    description: 'A token of the user, without the token value.',
    examples: [
      { ...example, createdAt: '2026-11-21T10:00:00.000Z', lastUsedAt: null, revokedAt: null },
    ],
  },
)
export type Token = Static<typeof Token>
