import Type from 'typebox'
import { Nullable, StrictObject } from '../http/schema.ts'
import type { Cause } from './change.ts'

/** Who made a change. */
export const ChangeCause = StrictObject(
  {
    kind: Type.Unsafe<Cause['kind']>(
      Type.String({ description: 'Who made the change: token, person or system.' }),
    ),
    via: Type.Unsafe<Cause['via']>(
      Type.String({ description: 'How: api, page, background or cli.' }),
    ),
    requestId: Nullable(
      Type.String({ description: 'The request that made the change; null if none did.' }),
    ),
  },
  { description: 'Who made the change.' },
)
