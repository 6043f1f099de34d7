import Type from 'typebox'
import { KnownText, Nullable, StrictObject } from '../http/schema.ts'
import type { Cause } from './change.ts'

/** Who made a change. */
export const ChangeCause = StrictObject(
  {
    kind: KnownText<Cause['kind']>(['token', 'person', 'system'], 'Who made the change.'),
    via: KnownText<Cause['via']>(['api', 'page', 'background', 'cli'], 'How.'),
    requestId: Nullable(
      Type.String({ description: 'The request that made the change; null if none did.' }),
    ),
  },
  { description: 'Who made the change.' },
)
