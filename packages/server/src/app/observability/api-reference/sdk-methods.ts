import { OPERATIONS } from '../../operations.ts'

/** The operations of the API, and their methods of the SDK: `group.method`. */
export const SDK_METHODS: Readonly<Record<string, string>> = Object.fromEntries(
  OPERATIONS.flatMap(({ id, sdk }) => (sdk === undefined ? [] : [[id, sdk]])),
)
