import Type, { type Static } from 'typebox'
import { SCOPES } from '../auth/scopes.ts'
import { Nullable, OptionalField, StrictObject, Timestamp } from '../http/schema.ts'

/** How long a token lives unless said: 90 days. */
export const DEFAULT_TTL_SECONDS = 90 * 24 * 60 * 60

const fields = {
  tokenId: Type.String({ description: 'Identifier of the token. Not secret.' }),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  workspaceId: Nullable(
    Type.String({ description: 'The workspace it is bound to; null: all of the user.' }),
  ),
  expiresAt: Nullable(Timestamp('When it ends; null never.')),
}

const example = {
  tokenId: 'tok_01kahn2s6kf5arr5d1x6z5cq3b',
  name: 'backend',
  scopes: ['read', 'write'],
  workspaceId: null,
  expiresAt: '2027-02-19T10:00:00.000Z',
}

export const CreateToken = StrictObject(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    seconds: OptionalField(
      Type.Integer({
        minimum: 1,
        maximum: 315_360_000,
        description: 'Lifetime. Default: 90 days.',
      }),
    ),
    workspaceId: OptionalField(
      Type.String({ maxLength: 64, description: 'Binds the token to it.' }),
    ),
    scopes: OptionalField(
      Type.Array(Type.Unsafe<(typeof SCOPES)[number]>({ type: 'string', enum: [...SCOPES] }), {
        minItems: 1,
        maxItems: SCOPES.length,
        uniqueItems: true,
        description:
          'Default: read and write, as far as the minting token has them. write is the sum of the five scopes that end in :write.',
      }),
    ),
  },
  { $id: 'CreateToken', examples: [{ name: 'backend', scopes: ['read', 'write'] }] },
)
export type CreateToken = Static<typeof CreateToken>

/** The one answer that carries the token itself. It cannot be read again. */
export const NewToken = StrictObject(
  { ...fields, token: Type.String({ description: 'The token. Shown once.' }) },
  {
    $id: 'NewToken',
    description: 'A token just made.',
    examples: [{ ...example, token: 'lp_…' }],
  },
)
export type NewToken = Static<typeof NewToken>

export const Token = StrictObject(
  {
    ...fields,
    createdAt: Timestamp('Creation time.'),
    lastUsedAt: Nullable(Timestamp('Last use, in steps of 15 minutes; null never.')),
    revokedAt: Nullable(Timestamp('When it was revoked; null while alive.')),
  },
  {
    $id: 'Token',
    description: 'A token of the user, without its secret.',
    examples: [
      { ...example, createdAt: '2026-11-21T10:00:00.000Z', lastUsedAt: null, revokedAt: null },
    ],
  },
)
export type Token = Static<typeof Token>
