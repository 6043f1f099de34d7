import Type, { type Static } from 'typebox'
import { StrictObject } from '../../http/schema.ts'

/** The response of Check credentials, for valid and invalid ones. */
export const CheckResponse = StrictObject(
  {
    status: Type.Boolean({ description: 'Whether the credentials work.' }),
    error: Type.String({
      description: 'The message of the integration; empty if the credentials work.',
    }),
    code: Type.Optional(
      Type.String({ description: 'The kind of failure, such as provider_unreachable.' }),
    ),
    field: Type.Optional(Type.String({ description: 'The field that caused the failure.' })),
    hint: Type.Optional(Type.String({ description: 'What to do about the failure.' })),
    retryable: Type.Optional(Type.Boolean({ description: 'Whether retrying later may succeed.' })),
  },
  {
    $id: 'CheckAnswer',
    description: 'Whether credentials work.',
    examples: [{ status: true, error: '' }],
  },
)
export type CheckResponse = Static<typeof CheckResponse>
