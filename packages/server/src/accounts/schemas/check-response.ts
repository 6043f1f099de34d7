import Type, { type Static } from 'typebox'
import { StrictObject } from '../../http/schema.ts'

/** The answer of check credentials, for right and wrong ones alike. */
export const CheckResponse = StrictObject(
  {
    status: Type.Boolean({ description: 'Whether the credentials work.' }),
    error: Type.String({ description: 'What the integration said; empty when they work.' }),
    code: Type.Optional(
      Type.String({ description: 'What kind of failure, such as provider_unreachable.' }),
    ),
    field: Type.Optional(Type.String({ description: 'The field at fault.' })),
    hint: Type.Optional(Type.String({ description: 'What to do about it.' })),
    retryable: Type.Optional(Type.Boolean({ description: 'Whether trying again later may help.' })),
  },
  {
    $id: 'CheckAnswer',
    description: 'Whether credentials work.',
    examples: [{ status: true, error: '' }],
  },
)
export type CheckResponse = Static<typeof CheckResponse>
